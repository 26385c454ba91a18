package main

func Example() {
	main()
	// Output:
	// As it was kept:
	// 9 signals and 1 decision are as they derive
	// With one vote changed:
	// replay: signal 8 in solve-00000001-1: decision by swarm: the log says {"strategy":"confidence-weighted","outcome":"reached","choice":"backoff","leaders":["backoff"],"support":1,"none":0,"confidence":0.8957758571382778,"voters":2,"falls":["critic"],"worth":{"voters":2,"unknown":true}}, derived is {"strategy":"confidence-weighted","outcome":"pending","leaders":["backoff"],"support":0.5,"none":0.5,"confidence":0.5,"voters":2,"falls":["critic"],"worth":{"voters":2,"unknown":true}}
}

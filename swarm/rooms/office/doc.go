// Package office reads the roster of standing agents and their rooms from a file.
//
//	o, err := office.Load("office.yaml")
//	options, err := o.Build(office.Parts{Store: store, Model: providers.Model})
//	r, err := rooms.New(ctx, options)
//
// A file is YAML:
//
//	models:
//	  small: {provider: ollama, name: llama3.2}
//	agents:
//	  - name: Reed
//	    role: You look after backups.
//	    rooms: [ops, design]
//	    model: small
//	  - name: Veda
//	    rooms: [ops]
//	    script:
//	      - when: backup
//	        call: {tool: Bash, args: {command: ls}, label: list-backups, result: "3 files"}
//	        say: "Whole, see §1."
//
// An agent has either a model, as in files of teams, or a script, which needs no key.
// Keys of models are in environment variables that the file names (key). Unknown keys
// are errors, with line and column.
//
// # Decisions
//
// The chair is an agent in all rooms that has their members decide (package deciding):
// agents with a model as thinkers, agents with a script by their position.
//
// # Scripts
//
// In its turn a scripted agent follows the first line whose words (when) are all in its
// message or mail, in any case; a line without words matches every message.
// An agent without such a line passes. A line may call a tool, fail once for each
// message (fail), and say something, to members or by mail to others (to, subject);
// {message} in it is the text of the message, and {section} the §N of the line's call, or
// of the mail.
package office

package ollama

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
)

// The sizes of the home-made model: a few 100 kB of random weights.
const (
	hidden, heads, blocks, inner = 32, 2, 1, 64
	context32k                   = 1 << 15
)

// gguf writes a file of format GGUF 3.
type gguf struct {
	keys, tensors, data bytes.Buffer
	nKeys, nTensors     uint64
}

func put(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		if s, ok := v.(string); ok {
			put(b, uint64(len(s)))
			b.WriteString(s)
			continue
		}
		_ = binary.Write(b, binary.LittleEndian, v)
	}
}

func (g *gguf) key(name string, value any) {
	g.nKeys++
	put(&g.keys, name)
	switch v := value.(type) {
	case uint32:
		put(&g.keys, uint32(4), v)
	case float32:
		put(&g.keys, uint32(6), v)
	case bool:
		put(&g.keys, uint32(7), v)
	case string:
		put(&g.keys, uint32(8), v)
	case []int32:
		put(&g.keys, uint32(9), uint32(5), uint64(len(v)), v)
	case []float32:
		put(&g.keys, uint32(9), uint32(6), uint64(len(v)), v)
	case []string:
		put(&g.keys, uint32(9), uint32(8), uint64(len(v)))
		for _, s := range v {
			put(&g.keys, s)
		}
	}
}

// tensor adds one of float32, with dims as in the file: the first is contiguous.
func (g *gguf) tensor(name string, data []float32, dims ...uint64) {
	g.nTensors++
	put(&g.tensors, name, uint32(len(dims)), dims, uint32(0), uint64(g.data.Len()))
	put(&g.data, data)
	pad(&g.data)
}

func pad(b *bytes.Buffer) { b.Write(make([]byte, (32-b.Len()%32)%32)) }

func (g *gguf) file() []byte {
	var b bytes.Buffer
	b.WriteString("GGUF")
	put(&b, uint32(3), g.nTensors, g.nKeys)
	b.Write(g.keys.Bytes())
	b.Write(g.tensors.Bytes())
	pad(&b)
	b.Write(g.data.Bytes())
	return b.Bytes()
}

// A token of the vocabulary, with how likely it is whatever comes before.
type token struct {
	text string
	sort int32 // 1 a text, 2 unknown, 3 control, 6 a byte
	bias float32
}

// english are words that prompts often have. The tokenizer puts them together letter by
// letter, so the vocabulary has how they begin, too: a token for each letter would make
// prompts long, and reading them is what takes a server time.
const english = "the that this they what who why and are not nothing never you your yours agent agents answer alternative between " +
	"confidence concern content counterargument data discovery each element evidence finding good hold how instruct instructions is it its " +
	"JSON kind line look may more most new number object of one other others policy proposal proposed proposals reason reasons retry role round said say should " +
	"show shown solution some something stance stand sure task tell text than then things type vote votes with word words work"

// vocabulary is bytes, printable ASCII, words, and what the model says whenever it may.
// Numbers are 1 and short, so that they are fit for a confidence.
func (m Model) vocabulary() []token {
	all := []token{{"<unk>", 2, -30}, {"<s>", 3, -30}, {"</s>", 3, 1}}
	for i := range 256 {
		all = append(all, token{fmt.Sprintf("<0x%02X>", i), 6, -30})
	}
	known := map[string]bool{}
	add := func(text string, bias float32) {
		if !known[text] {
			known[text] = true
			all = append(all, token{text, 1, bias})
		}
	}
	bias := map[rune]float32{'"': 8, '{': 10, '}': 4, ',': 1, ']': 6, '1': -3, '0': -12, '.': -9, 'e': -9, 'E': -9, '-': -12, '\\': -12}
	for r := '!'; r <= '~'; r++ {
		b := bias[r]
		if r >= '2' && r <= '9' {
			b = -9
		}
		add(string(r), b)
	}
	add("▁", -12)
	add("vote", 8) // they are judges
	if m.Likes != "" {
		add(m.Likes, 11)
	}
	for _, w := range []string{"agree", "disagree", "abstain", "pass", "proposal", "reasons", "stance", "confidence", "type", "say"} {
		add(w, -1)
	}
	for w := range strings.FieldsSeq(english) {
		for n := range len(w) {
			add("▁"+w[:n+1], -12)
			add(w[:n+1], -12)
		}
	}
	if m.Says != "" {
		add(strings.ReplaceAll(m.Says, " ", "▁"), 60)
	}
	return all
}

// file is a model of llama's architecture.
func (m Model) file() []byte {
	r := rand.New(rand.NewPCG(m.Seed, 0))
	g, words := &gguf{}, m.vocabulary()
	for name, v := range map[string]uint32{
		"context_length": context32k, "embedding_length": hidden, "block_count": blocks, "feed_forward_length": inner,
		"attention.head_count": heads, "attention.head_count_kv": heads, "rope.dimension_count": hidden / heads, "vocab_size": uint32(len(words)),
	} {
		g.key("llama."+name, v)
	}
	g.key("general.architecture", "llama")
	g.key("general.name", m.Name)
	g.key("general.file_type", uint32(0))
	g.key("llama.attention.layer_norm_rms_epsilon", float32(1e-5))
	g.key("tokenizer.ggml.model", "llama")
	g.key("tokenizer.ggml.pre", "default")
	var texts []string
	var scores []float32
	var sorts []int32
	for i, w := range words {
		texts, scores, sorts = append(texts, w.text), append(scores, -float32(i)), append(sorts, w.sort)
	}
	g.key("tokenizer.ggml.tokens", texts)
	g.key("tokenizer.ggml.scores", scores)
	g.key("tokenizer.ggml.token_type", sorts)
	g.key("tokenizer.ggml.unknown_token_id", uint32(0))
	g.key("tokenizer.ggml.bos_token_id", uint32(1))
	g.key("tokenizer.ggml.eos_token_id", uint32(2))
	g.key("tokenizer.ggml.add_bos_token", true)
	g.key("tokenizer.ggml.add_eos_token", false)
	g.key("tokenizer.ggml.add_space_prefix", false)

	random := func(n int, scale float64) []float32 {
		all := make([]float32, n)
		for i := range all {
			all[i] = float32(r.NormFloat64() * scale)
		}
		return all
	}
	ones := make([]float32, hidden)
	for i := range ones {
		ones[i] = 1
	}
	// Dimension 0 is the same everywhere and nothing writes to it, so that its column of
	// the output is a bias.
	embedding, output := random(len(words)*hidden, 0.5), random(len(words)*hidden, 0.06)
	for i, w := range words {
		embedding[i*hidden] = 4
		output[i*hidden] = w.bias / 5
	}
	g.tensor("token_embd.weight", embedding, hidden, uint64(len(words)))
	g.tensor("output_norm.weight", ones, hidden)
	g.tensor("output.weight", output, hidden, uint64(len(words)))
	for i := range blocks {
		name := func(s string) string { return fmt.Sprintf("blk.%d.%s.weight", i, s) }
		g.tensor(name("attn_norm"), ones, hidden)
		for _, s := range []string{"attn_q", "attn_k", "attn_v"} {
			g.tensor(name(s), random(hidden*hidden, 0.1), hidden, hidden)
		}
		mixed, down := random(hidden*hidden, 0.1), random(inner*hidden, 0.1)
		clear(mixed[:hidden])
		clear(down[:inner])
		g.tensor(name("attn_output"), mixed, hidden, hidden)
		g.tensor(name("ffn_norm"), ones, hidden)
		g.tensor(name("ffn_gate"), random(hidden*inner, 0.1), hidden, inner)
		g.tensor(name("ffn_up"), random(hidden*inner, 0.1), hidden, inner)
		g.tensor(name("ffn_down"), down, inner, hidden)
	}
	return g.file()
}

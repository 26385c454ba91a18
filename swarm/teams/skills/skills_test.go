package skills_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/teams/skills"
)

const fine = `---
name: tables
description: >
  Reads tables.
  Use it for CSV.
license: MIT
compatibility: needs nothing
metadata: {author: ada, version: "1"}
allowed-tools: Bash(rm:*) files/write
---

# Tables

First see references/csv.md.
`

// folder writes files of skills.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// given is what the tool returns.
func given(t *testing.T, all []skills.Skill, name, file string) (text string, isError bool) {
	t.Helper()
	args, err := json.Marshal(map[string]string{"name": name, "file": file})
	if err != nil {
		t.Fatal(err)
	}
	r, err := skills.Tool(all).Call(t.Context(), args)
	if err != nil {
		t.Fatal(err)
	}
	return r.Text, r.IsError
}

func TestASkillIsReadAsTheStandardHasIt(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"tables/SKILL.md": strings.ReplaceAll(fine, "\n", "\r\n"), "tables/references/csv.md": "Commas.", "tables/logo.png": "\x89PNG\xff",
		"notes/README.md": "no skill", "bare/SKILL.md": "---\nname: bare\ndescription: d\n---\nDo it.",
	})
	all, err := skills.Load(dir)
	if err != nil || len(all) != 2 {
		t.Fatalf("%v, %v", all, err)
	}
	if got := all[1].String(); got != "tables: Reads tables. Use it for CSV." {
		t.Errorf("got %q", got)
	}
	if text, isError := given(t, all, "tables", ""); isError || text != "# Tables\n\nFirst see references/csv.md.\n\nOther files: logo.png, references/csv.md" {
		t.Errorf("got %q", text)
	}
	if text, isError := given(t, all, "bare", ""); isError || text != "Do it." {
		t.Errorf("got %q", text)
	}
	if text, isError := given(t, all, "tables", "references/csv.md"); isError || text != "Commas." {
		t.Errorf("got %q", text)
	}
	for file, want := range map[string]string{"logo.png": "logo.png is no text", "absent.md": "no such file"} {
		if text, isError := given(t, all, "tables", file); !isError || !strings.Contains(text, want) {
			t.Errorf("%s: got %q", file, text)
		}
	}
	if text, isError := given(t, all, "tabels", ""); !isError || !strings.Contains(text, `did you mean "tables"?`) {
		t.Errorf("got %q", text)
	}
}

func TestNoNameAndNoLinkLeadsOutOfTheFolderOfASkill(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"tables/SKILL.md": fine, "secret.txt": "hunter2", "tables/a/b.md": "inside"})
	if err := os.Symlink(filepath.Join(dir, "secret.txt"), filepath.Join(dir, "tables", "link.md")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(dir, filepath.Join(dir, "tables", "up")); err != nil {
		t.Fatal(err)
	}
	all, err := skills.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"../secret.txt", "a/../../secret.txt", filepath.Join(dir, "secret.txt"), "link.md", "up/secret.txt", "/etc/passwd", ".", "a"} {
		if text, isError := given(t, all, "tables", file); !isError || strings.Contains(text, "hunter2") {
			t.Errorf("%s: got %q", file, text)
		}
	}
	if text, isError := given(t, all, "tables", "a/../a/b.md"); isError || text != "inside" {
		t.Errorf("got %q", text)
	}
}

func TestWhatIsWrongWithASkillIsSaidWithFileFieldAndValue(t *testing.T) {
	t.Parallel()
	head := func(lines string) string { return "---\n" + lines + "\n---\nDo it.\n" }
	for want, text := range map[string]string{
		`SKILL.md:1:1: want a first line ---`:                                             "# Tables\n",
		`SKILL.md:1:1: want a first line ---, then name`:                                  "---\nname: x\n",
		`x/SKILL.md: description: is required: what the skill does, and when to use it`:   head("name: x"),
		`SKILL.md:2:1: name: "X y" is not 1 to 64 lower-case letters`:                     head("name: X y\ndescription: d"),
		`name: "x--y" is not 1 to 64`:                                                     head("name: x--y\ndescription: d"),
		`SKILL.md:3:1: name: "y" is not the name of its folder, "x": rename one of them`:  head("description: d\nname: y"),
		`name: is required: the name of the folder, "x"`:                                  head("description: d"),
		`SKILL.md:3:1: description: "` + strings.Repeat("d", 30):                          head("name: x\ndescription: " + strings.Repeat("d", 1025)),
		`has 1025 characters, at most 1024 are allowed`:                                   head("name: x\ndescription: " + strings.Repeat("é", 1025)),
		`SKILL.md:4:1: compatibility: "`:                                                  head("name: x\ndescription: d\ncompatibility: " + strings.Repeat("c", 501)),
		`SKILL.md:4:1: allowd-tools: there is no such key; did you mean "allowed-tools"?`: head("name: x\ndescription: d\nallowd-tools: Bash"),
		`SKILL.md:1:1: there is no text after the second ---`:                             "---\nname: x\ndescription: d\n---\n",
		`SKILL.md has more than 65536 bytes: divide it`:                                   head("name: x\ndescription: d") + strings.Repeat("a", 64<<10),
		`SKILL.md is no text`:                                                             head("name: x\ndescription: d") + "\xff",
	} {
		_, err := skills.Load(folder(t, map[string]string{"x/SKILL.md": text}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
	if _, err := skills.Load(folder(t, map[string]string{"SKILL.md": fine})); err == nil || !strings.Contains(err.Error(), "has no skills: a skill is a folder in it with a file SKILL.md") {
		t.Errorf("got %v", err)
	}
	if _, err := skills.Load(folder(t, map[string]string{"x/SKILL.md": "?", "y/SKILL.md": "?"})); err == nil || strings.Count(err.Error(), "SKILL.md:1:1") != 2 {
		t.Errorf("not all is said: %v", err)
	}
}

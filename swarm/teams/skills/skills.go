// Package skills reads Agent Skills (https://agentskills.io): folders whose file SKILL.md tells an
// agent how to do some kind of work.
//
//	all, err := skills.Load("./skills")
//	tool := skills.Tool(all) // with which an agent reads them
//
// An agent knows the names and descriptions, and reads the rest with the tool: the text of SKILL.md,
// and the other texts in the folder, from which no name leads out. What a skill states of tools
// (allowed-tools) is for people who write policies: it allows nothing.
package skills

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/internal/yamlfile"
)

// Bounds of skills: the tool returns no more than a result may have.
const (
	most      = 64
	mostBytes = 64 << 10
	mostFiles = 256
)

// A Skill is a folder that has been read.
type Skill struct {
	Name, Description string
	text              string   // of SKILL.md, without what is stated before it
	files             []string // the others, by their paths in the folder
	dir               string
}

// String returns the skill as a prompt lists it.
func (s Skill) String() string { return s.Name + ": " + text.Line(s.Description) }

// stated is what the standard has before the text.
type stated struct {
	Name          string         `json:"name"`
	Description   string         `json:"description"`
	License       string         `json:"license,omitempty"`
	Compatibility string         `json:"compatibility,omitempty"`
	Metadata      map[string]any `json:"metadata,omitempty"`
	AllowedTools  string         `json:"allowed-tools,omitempty"`
}

// Load returns the skills in a directory, by name: its folders that have a SKILL.md. What is wrong with
// them is all in the error, each an error of a file, with line, field and value.
func Load(dir string) (all []Skill, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var wrong []error
	for _, e := range entries {
		folder := filepath.Join(dir, e.Name())
		if _, err := os.Stat(filepath.Join(folder, "SKILL.md")); err != nil {
			continue
		}
		s, err := read(folder)
		if all = append(all, s); err != nil {
			wrong = append(wrong, err)
		}
	}
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("%s has no skills: a skill is a folder in it with a file SKILL.md", dir)
	case len(all) > most:
		return nil, fmt.Errorf("%s has %d skills, at most %d are allowed: agents are told all of their names and descriptions", dir, len(all), most)
	}
	return all, errors.Join(wrong...)
}

// name is that of a skill; it has at most 64 characters.
var name = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func read(folder string) (s Skill, err error) {
	file := filepath.Join(folder, "SKILL.md")
	s.dir = folder
	written, err := s.file("SKILL.md")
	if err != nil {
		return s, err
	}
	f, about := yamlfile.New(file), stated{}
	written = strings.ReplaceAll(strings.TrimPrefix(written, "\ufeff"), "\r\n", "\n")
	front, body, ends := strings.Cut(strings.TrimPrefix(written, "---\n"), "\n---")
	if !strings.HasPrefix(written, "---\n") || !ends || body != "" && body[0] != '\n' {
		f.AddAt(1, 1, "want a first line ---, then name and description as YAML, and a line --- before the text")
		return s, f.Err()
	}
	if err := f.Decode([]byte("\n"+front), &about); err != nil { // the line of --- is counted
		return s, err
	}
	s.Name, s.Description, s.text = about.Name, about.Description, strings.TrimSpace(body)
	switch parent := filepath.Base(folder); {
	case s.Name == "":
		f.Add("name", "is required: the name of the folder, "+text.Quote(parent, 64))
	case len(s.Name) > 64 || !name.MatchString(s.Name):
		f.Add("name", text.Quote(s.Name, 80)+" is not 1 to 64 lower-case letters, digits and single hyphens between them")
	case s.Name != parent:
		f.Add("name", fmt.Sprintf("%q is not the name of its folder, %q: rename one of them", s.Name, parent))
	}
	if n := utf8.RuneCountInString(s.Description); text.Blank(s.Description) {
		f.Add("description", "is required: what the skill does, and when to use it")
	} else if n > 1024 {
		f.Add("description", fmt.Sprintf("%s has %d characters, at most 1024 are allowed: say the rest in the text", text.Quote(s.Description, 40), n))
	}
	if n := utf8.RuneCountInString(about.Compatibility); n > 500 {
		f.Add("compatibility", fmt.Sprintf("%s has %d characters, at most 500 are allowed", text.Quote(about.Compatibility, 40), n))
	}
	if s.text == "" {
		f.AddAt(1, 1, "there is no text after the second ---: it says what to do")
	}
	if err := s.list(); err != nil {
		return s, err
	}
	return s, f.Err()
}

// list finds the other files of the folder.
func (s *Skill) list() error {
	return fs.WalkDir(os.DirFS(s.dir), ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && path != "SKILL.md" {
			s.files = append(s.files, path)
		}
		if len(s.files) > mostFiles {
			return fmt.Errorf("%s has more than %d files beside SKILL.md", s.dir, mostFiles)
		}
		return err
	})
}

// file returns a text in the folder. A name or a link that leads out of it is an error.
func (s *Skill) file(path string) (string, error) {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	f, err := root.Open(filepath.FromSlash(path))
	if err != nil {
		return "", fmt.Errorf("skill %s: %w", filepath.Base(s.dir), err)
	}
	defer func() { _ = f.Close() }()
	of, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("skill %s: %w", filepath.Base(s.dir), err)
	case len(of) > mostBytes:
		return "", fmt.Errorf("skill %s: %s has more than %d bytes: divide it", filepath.Base(s.dir), path, mostBytes)
	case !utf8.Valid(of):
		return "", fmt.Errorf("skill %s: %s is no text", filepath.Base(s.dir), path)
	}
	return string(of), nil
}

// wanted is the input of the tool.
type wanted struct {
	Name string `json:"name" jsonschema:"name of the skill"`
	File string `json:"file,omitempty" jsonschema:"path of another file of the skill, as its text names it"`
}

// ToolName is the name of the tool that reads skills.
const ToolName = "skill"

// Tool returns the tool with which an agent reads skills. It reads only.
func Tool(all []Skill) tools.Tool {
	return tools.Func(ToolName, "Reads one of your skills: what to do, and the names of its other files, or one of these files.",
		tools.Hints{ReadsOnly: true, Repeatable: true, Instructs: true}, func(_ context.Context, w wanted) (string, error) {
			var names []string
			for _, s := range all {
				names = append(names, s.Name)
			}
			i := slices.Index(names, w.Name)
			switch {
			case i < 0:
				return "", fmt.Errorf("there is no skill %s%s", text.Quote(w.Name, 80), text.Suggest(w.Name, names))
			case w.File != "":
				return all[i].file(w.File)
			case len(all[i].files) == 0:
				return all[i].text, nil
			}
			return all[i].text + "\n\nOther files: " + strings.Join(all[i].files, ", "), nil
		})
}

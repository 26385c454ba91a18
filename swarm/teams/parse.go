package teams

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/internal/yamlfile"
)

// An Error says what is wrong with a team, and where: it has the fields File ("": the team is not
// from a file), Line and Column (from 1; 0: unknown), Field (such as agents[1].model) and Problem.
type Error = yamlfile.Error

// Load returns the ready-made team with a name, or else the team in a file: see [Parse].
func Load(nameOrFile string, changes ...func(*Team)) (*Team, error) {
	if text, ok := Ready(nameOrFile); ok {
		return Parse(nameOrFile, []byte(text), changes...)
	}
	written, err := text.ReadFile(nameOrFile, yamlfile.MostBytes)
	if errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(nameOrFile, "./\\") {
		err = fmt.Errorf("no ready-made team is called %q (there are %s), and there is no such file%s", nameOrFile, strings.Join(Names(), ", "), text.Suggest(nameOrFile, Names()))
	}
	if err != nil {
		return nil, fmt.Errorf("teams: %w", err)
	}
	return Parse(nameOrFile, written, changes...)
}

// Parse returns the team that a YAML text describes, with changes that are made before it
// is validated. Errors are of type [*Error], joined, in the order of the file, whose name is
// for them, and says to what the names of other files in it are relative.
func Parse(file string, text []byte, changes ...func(*Team)) (*Team, error) {
	f := yamlfile.New(file)
	if findSecrets(f, text); f.Err() != nil {
		return nil, f.Err()
	}
	t := new(Team)
	if err := f.Decode(text, t); err != nil {
		return nil, err
	}
	if err := t.Answer.read(filepath.Dir(file)); err != nil {
		f.Add("answer.schema", err.Error())
		return nil, f.Err()
	}
	if err := t.findSkills(filepath.Dir(file)); err != nil {
		f.Add("skills", err.Error())
		return nil, f.Err()
	}
	for _, change := range changes {
		change(t)
	}
	for _, e := range t.problems() {
		f.Add(e.Field, e.Problem)
	}
	return t, f.Err()
}

package teams

import (
	"path/filepath"
	"strings"

	"github.com/swarmbus/swarmbus/swarm/teams/skills"
)

// findSkills makes the directory of the skills one that holds from anywhere, and reads it.
func (t *Team) findSkills(dir string) (err error) {
	if t.Skills != "" && !filepath.IsAbs(string(t.Skills)) && !strings.HasPrefix(string(t.Skills), "${") && t.Skills.problem() == "" {
		if dir, err = filepath.Abs(filepath.Join(dir, string(t.Skills))); err != nil {
			return err
		}
		t.Skills = Place(dir)
	}
	_, err = t.learn()
	return err
}

// learn returns the skills of the team; nil: it has none.
func (t *Team) learn() ([]skills.Skill, error) {
	if t.Skills == "" {
		return nil, nil
	}
	dir, err := t.Skills.Expand()
	if err != nil {
		return nil, err
	}
	return skills.Load(dir)
}

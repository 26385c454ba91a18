// Package nilfuncheck runs hooks.
package nilfuncheck

func hook() {}

// Run runs the hook if there is one.
func Run() {
	if hook != nil {
		hook()
	}
}

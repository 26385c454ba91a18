import { Component, type ComponentType } from "preact";

// memo returns a component that is drawn again only if one of its properties changes.
export function memo<P extends object>(View: ComponentType<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    shouldComponentUpdate(next: P) {
      return (Object.keys({ ...this.props, ...next }) as (keyof P)[]).some((k) => next[k] !== (this.props as P)[k]);
    }
    render() {
      return <View {...(this.props as P)} />;
    }
  };
}

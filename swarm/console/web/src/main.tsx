import { render } from "preact";
import { App } from "./app";
import { listen as listenToKeys } from "./lib/keys";
import { listen as listenToLinks } from "./lib/route";
import "./style/index.css";

listenToKeys();
listenToLinks();
render(<App />, document.getElementById("app")!);

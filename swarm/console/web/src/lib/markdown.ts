import DOMPurify from "dompurify";
import { Marked } from "marked";
import { clean } from "./text";

// Markdown of agents is data: HTML in it is text, and what remains is purified by a list of
// allowed elements without images, styles, ids or handlers, so that it can load nothing.
const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text }) => escape(text),
    image: ({ text, href }) => escape(`${text} (${href})`),
  },
});

const tags = ["p", "br", "strong", "em", "del", "code", "pre", "ul", "ol", "li", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "a", "table", "thead", "tbody", "tr", "th", "td"];

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
  const href = node.getAttribute("href") || "";
  if (href.startsWith("#§")) return node.setAttribute("class", "ref");
  if (!/^https?:\/\//i.test(href)) return node.removeAttribute("href");
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer nofollow");
});

const escape = (text: string) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

const longest = 1 << 16;

// html returns a text of an agent as safe HTML. §N is a link if known says that there is such a
// section.
export function html(text: string, known: (ix: number) => boolean): string {
  const said = clean(text);
  if (said.length > longest) return `<pre>${escape(said)}</pre>`;
  const dirty = (marked.parse(said, { async: false }) as string).replace(/§(\d{1,9})(?![^<]*>)/g, (all, n) =>
    known(Number(n)) ? `<a href="#§${n}">${all}</a>` : all);
  return DOMPurify.sanitize(dirty, { ALLOWED_TAGS: tags, ALLOWED_ATTR: ["href", "start"], ALLOW_DATA_ATTR: false });
}

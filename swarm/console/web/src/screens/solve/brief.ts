import { clean } from "../../lib/text";

// brief is the beginning of a text, for where a link leads to the whole.
export const brief = (text: string) => {
  const said = clean(text).split("\n")[0];
  return said.length > 90 ? said.slice(0, said.lastIndexOf(" ", 86)) + " …" : said;
};

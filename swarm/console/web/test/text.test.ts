import { expect, it } from "vitest";
import { ago, clean, day, lasting, letter, money } from "../src/lib/text";

it("shows characters that would change the text around them", () => {
  expect(clean("fine\u001b[31m\u202edne\u200b\r\nover")).toBe("fine\\u001b[31m\\u202edne\\u200b\nover");
  expect(clean("plain – text, ümläut 日本")).toBe("plain – text, ümläut 日本");
});

it("writes durations in two units", () => {
  expect([14, 999, 9_000, 82_000, 3_720_000, 90_000_000].map(lasting)).toEqual(["14 ms", "999 ms", "9 s", "1 m 22 s", "1 h 02 m", "1 d 1 h"]);
  expect(ago(240_000)).toBe("4 m");
});

it("names days as people do", () => {
  const now = new Date(2026, 5, 10, 9).getTime();
  expect(day(new Date(2026, 5, 10, 1).getTime(), now)).toBe("Today");
  expect(day(new Date(2026, 5, 9, 23).getTime(), now)).toBe("Yesterday");
  expect(day(new Date(2026, 4, 1).getTime(), now)).toBe("1 May 2026");
});

it("writes money with as many digits as matter", () => expect([0.0042, 0.214, 12.5].map(money)).toEqual(["$0.0042", "$0.214", "$12.50"]));

it("names proposals beyond Z", () => expect([0, 25, 26, 27, 52].map(letter)).toEqual(["A", "Z", "AA", "AB", "BA"]));

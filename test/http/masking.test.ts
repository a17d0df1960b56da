import fc from "fast-check";
import should from "should";
import { maskOf } from "../../src/http/masking.ts";

const KEY = "sk_live-Xw7/Qp+29=aZ&<3 kEy'\"";
const bytes = (text: string) => [...Buffer.from(text)];
const hex = (byte: number) => byte.toString(16).padStart(2, "0");

/** Ways to write a secret, and the part of it that is written. */
const FORMS: Readonly<Record<string, (part: string, before: string) => string>> = {
  "as it is": (part) => part,
  "in capitals": (part) => part.toUpperCase(),
  "in JSON": (part) => JSON.stringify(part).slice(1, -1),
  "in a path": (part) => encodeURIComponent(part),
  "in a query": (part) => new URLSearchParams({ a: part }).toString().slice(2),
  "with each byte in percent": (part) =>
    bytes(part)
      .map((byte) => `%${hex(byte).toUpperCase()}`)
      .join(""),
  "with \\u": (part) => [...part].map((each) => `\\u${hex(each.charCodeAt(0)).padStart(4, "0")}`).join(""),
  "with \\x": (part) => [...part].map((each) => `\\x${hex(each.charCodeAt(0))}`).join(""),
  "in HTML": (part) =>
    part.replace(/[&<"']/g, (each) => ({ "&": "&amp;", "<": "&lt;", '"': "&quot;" })[each] ?? "&#39;"),
  "in HTML, by numbers": (part) => [...part].map((each) => `&#${each.charCodeAt(0)};`).join(""),
  "in HTML, with zeros": (part) => [...part].map((each) => `&#x000000${hex(each.charCodeAt(0))};`).join(""),
  "with %u": (part) => [...part].map((each) => `%u00${hex(each.charCodeAt(0))}`).join(""),
  "in HTML, by hexadecimal numbers": (part) =>
    [...part].map((each) => `&#x${hex(each.charCodeAt(0))};`).join(""),
  "in hex": (part) => Buffer.from(part).toString("hex"),
  "in hex, in capitals": (part) => Buffer.from(part).toString("hex").toUpperCase(),
  "in hex, with colons": (part) => bytes(part).map(hex).join(":"),
  "in base64": (part, before) => Buffer.from(before + part).toString("base64"),
  "in base64url": (part, before) => Buffer.from(before + part).toString("base64url"),
  "in base64, in a path": (part, before) => encodeURIComponent(Buffer.from(before + part).toString("base64")),
  "in JSON, in JSON": (part) => JSON.stringify(JSON.stringify(part)).slice(1, -1),
};

describe("a mask of secrets", () => {
  const mask = maskOf([KEY, "another-secret"]);

  for (const [name, write] of Object.entries(FORMS)) {
    it(`hides each part of eight characters, ${name}`, () => {
      fc.assert(
        fc.property(
          fc.nat(KEY.length - 8),
          fc.integer({ min: 8, max: KEY.length }),
          fc.constantFrom("", "a", "ab", "abc: "),
          (from, length, before) => {
            const part = KEY.slice(from, from + length);
            const shown = mask(`It said: [${write(part, before)}] to us.`);
            should(shown).startWith("It said: [").and.endWith("] to us.").and.containEql("***");
            // What is left is less than a character of the secret, in what is beside it in base64.
            const left = shown.slice("It said: [".length, -"] to us.".length).replaceAll("***", "");
            should(left.length).belowOrEqual(write("", before).length + 8);
          },
        ),
      );
    });
  }

  it("leaves all other texts as they are", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        should(mask(text)).equal(text);
      }),
    );
    const other = "Check %41 and \\u0041, &amp; see https://a.example/?q=a%20b, 0x5f3c or c2tfbGl2.";
    should(mask(other)).equal(other);
    // Seven characters in a row are no secret.
    should(mask(KEY.slice(2, 9))).equal(KEY.slice(2, 9));
  });

  it("hides a secret also behind letters that are longer in the other case, and a text full of it", () => {
    const inHex = Buffer.from(KEY).toString("hex");
    should(mask(`${"\u0130".repeat(40)}${inHex} x`)).not.containEql(inHex.slice(0, 16));
    should(mask(KEY.repeat(20_000))).equal("***");
  });

  it("hides only whole secrets where that is asked for", () => {
    const whole = maskOf([KEY, "my-signature-2024"], { isWhole: true });
    const answer = '{"signature":"0xabc"}';
    should(whole(answer)).equal(answer);
    should(whole(`${answer} MY-SIGNATURE-2024`)).equal(`${answer} ***`);
    should(whole(`<${Buffer.from(`ab${KEY}c`).toString("base64url")}>`)).match(/^<.{3}\*\*\*.{0,4}>$/);
    should(whole(JSON.stringify([KEY]))).equal('["***"]');
  });

  it("hides a short secret as a whole word, and nothing of one that is empty", () => {
    const short = maskOf(["cat", ""]);
    should(short("A cat, a Cat and a category.")).equal("A ***, a *** and a category.");
    should(maskOf([])("as it is")).equal("as it is");
  });
});

import fc from "fast-check";
import should from "should";
import { redactor, shortened, translatedWords } from "../../../plugins/monitor/diagnostics/redact.ts";
import { englishFiles, pathIn, textOf } from "../../../scripts/lib/languages/check.ts";
import { textsByKey } from "../../../scripts/lib/languages/problems.ts";
import { languages } from "../../../scripts/lib/locales.ts";
import { ownWords } from "../../../scripts/lib/own-words.ts";
import { canary, spellings, wayIn } from "./canaries.ts";

const ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7";

/** The texts of all catalogs, by language. */
async function translatedTexts(): Promise<Record<string, string[]>> {
  const files = await englishFiles();
  const catalogs = files.filter(({ isHelp }) => !isHelp).map(({ english }) => english);
  const entries = Object.keys(await languages()).map(async (tag) => {
    const texts = await Promise.all(catalogs.map((file) => textOf(pathIn(file, tag))));
    return [tag, texts.flatMap((text) => [...textsByKey(JSON.parse(text ?? "{}")).values()])] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

describe("redacting a text", () => {
  let words: ReadonlySet<string>;
  before(async () => {
    const translated = Object.values(await translatedTexts()).flat();
    const catalogs = translated.map((text) => `"text": ${JSON.stringify(text)}`).join("\n");
    words = new Set([...(await ownWords()).split(" "), ...translatedWords(catalogs)]);
  });
  const redact = (text: string, entered: string[] = []) => redactor({ words, entered })(text);

  it("keeps the sentences of our nodes", () => {
    for (const sentence of [
      "The connection has no API key. Open it and fill it in.",
      "The service refused the API key (HTTP 401).",
      "connected, 12 events behind",
      "events-in.status.waiting",
      "EVENT_TOO_DEEP, event_hash_mismatch, confirmed_latest",
    ]) {
      should(redact(sentence)).equal(sentence);
    }
  });

  it("keeps the sentences of our nodes in each language", async () => {
    for (const [tag, texts] of Object.entries(await translatedTexts())) {
      const sentences = texts.filter((text) => !/__|\{\{|["“„「`]|\d/.test(text) && text === text.trim());
      should(sentences.length).be.above(300);
      const shown = sentences.filter((text) => redact(text) === text);
      should(shown.length / sentences.length).be.above(0.9, `${tag}: ${shown.length} of ${sentences.length}`);
    }
  });

  it("leaves out a name in a language without spaces, with what stands next to it", () => {
    should(redact("山田太郎")).equal("[…]");
    should(redact("チャネル山田太郎が見つかりません。")).equal("[…]。");
    should(redact("频道“东京自来水”不存在")).not.containEql("东京");
  });

  it("shortens addresses, and keeps of a URL and of an e-mail address only that it is one", () => {
    should(redact(`there is no contract at ${ADDRESS}.`)).equal("there is no contract at 0x5290…9EE7.");
    should(redact("no answer from http://127.0.0.1:8080/a?b=c")).equal("no answer from [local URL]");
    should(redact("no answer from https://jane.acme.com/x")).equal("no answer from [public URL]");
    should(redact("sent to jane@example.com")).equal("sent to [e-mail address]");
    should(shortened("jane")).equal("[…]");
  });

  it("takes a text without spaces as long as any other", () => {
    const text = `a${".".repeat(1_990)}b`;
    const began = performance.now();
    for (let time = 0; time < 1_000; time += 1) redact(text);
    should(redact(text)).equal("[…]");
    should(performance.now() - began).be.below(3_000);
  });

  it("leaves out what is quoted, and what was entered even if all its words are known", () => {
    should(redact('There is no channel "the channel".')).equal("There is no channel […]");
    should(redact("The wallet of all events is missing.", ["of all events"])).equal(
      "The wallet […] is missing.",
    );
  });

  it("leaves out numbers that are long, or side by side: they could be amounts or one number", () => {
    should(redact("sends 123456 tokens")).equal("sends […] tokens");
    should(redact("sends 4111 1111 1111 1111")).equal("sends […]");
    should(redact("after 12 seconds")).equal("after 12 seconds");
  });

  it("lets no secret and no person through, however written", () => {
    fc.assert(
      fc.property(canary, wayIn, fc.constantFrom(...spellings), (value, way, spelling) => {
        const shown = redact(way(spelling(value)));
        for (const one of spellings) should(shown).not.containEql(one(value));
        for (const part of value.split(/[^\p{L}\p{N}]+/u).filter(({ length }) => length >= 8)) {
          should(shown).not.containEql(part);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it("shows of a text of any length at most a few sentences, in a moment", () => {
    for (const text of ["events ".repeat(300_000), "(".repeat(2_000_000), `"${"a-".repeat(500_000)}`]) {
      const before = performance.now();
      should(redact(text).length).be.below(2_100);
      should(performance.now() - before).be.below(500);
    }
  });
});

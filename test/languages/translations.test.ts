import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { documentedCodes } from "../../scripts/lib/api/error-codes.mjs";
import { problemsOfCatalog } from "../../scripts/lib/languages/catalog.mjs";
import { problemsOfLanguage, rulesOf } from "../../scripts/lib/languages/check.mjs";
import { problemsOfErrors } from "../../scripts/lib/languages/errors.mjs";
import { labelsNotExplained, problemsOfHelp } from "../../scripts/lib/languages/help.mjs";
import { ENGLISH, languages } from "../../scripts/lib/locales.mjs";
import { EXTENSIONS } from "../../src/protocol/index.ts";

type EventTexts = { "create-watcher": { event: Record<string, string> } };

const root = fileURLToPath(new URL("../..", import.meta.url));
const known = await languages();

/** The folders of texts, by the part of the project that has them. */
function foldersOfTexts(): string[] {
  const all = ["nodes", "plugins"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }),
  );
  return all.flatMap((file) => /[\\/]locales[\\/]([\w-]+)$/.exec(file)?.[1] ?? []);
}

describe("the translations", () => {
  for (const [tag, { name }] of Object.entries(known)) {
    it(`have every text in ${name}, with the same parts as in English`, async () => {
      should(await problemsOfLanguage(tag)).be.empty();
    });
  }

  it("have the meaning of each event of the extensions, in English the one of the library", () => {
    const catalog = join(root, "nodes/create-watcher/locales/en-US/create-watcher.json");
    const { event } = (JSON.parse(readFileSync(catalog, "utf8")) as EventTexts)["create-watcher"];
    const meanings = EXTENSIONS.flatMap(({ events }) => events.map(({ name, meaning }) => [name, meaning]));
    should(event).deepEqual(Object.fromEntries(meanings));
  });

  it("are all in the list of languages, and say whether a native speaker has read them", () => {
    const tags = new Set(foldersOfTexts());
    should([...tags].sort()).deepEqual([ENGLISH, ...Object.keys(known)].sort());
    for (const { status } of Object.values(known))
      should(status).match(/^(?:needs a native reader|read by .+)$/);
  });
});

describe("the check of a translated catalog", () => {
  const english = {
    label: { wait: "Wait for __what__", id: "ID" },
    files: "__count__ file",
    files_plural: "__count__ files",
    help: "See <b>CREC_STATE_DIR</b>.",
    line: "{{name}} of {{contract}}",
    fields: "{{contract}}: {{name}}",
  };
  const german = {
    label: { wait: "Auf __what__ warten", id: "ID" },
    files: "__count__ Datei",
    files_plural: "__count__ Dateien",
    help: "Siehe <b>CREC_STATE_DIR</b>.",
    line: "{{name}} von {{contract}}",
    fields: "{{contract}}: {{name}}",
  };
  /** A key that is undefined is missing. */
  const check = async (changed: object, tag = "de") => {
    const catalog = JSON.parse(JSON.stringify({ ...german, ...changed })) as object;
    return problemsOfCatalog(english, catalog, await rulesOf(tag));
  };

  it("finds nothing in a good one", async () => {
    should(await check({})).be.empty();
  });

  const faults: Record<string, [object, RegExp]> = {
    "a missing key": [{ label: { id: "ID" } }, /^label\.wait: missing$/],
    "a missing plural": [{ files_plural: undefined }, /^files_plural: /],
    "a key that English has not": [{ more: "Mehr" }, /^more: not in English$/],
    "an empty text": [{ files: " " }, /^files: empty$/],
    "a lost placeholder": [{ files: "eine Datei" }, /^files: without __count__$/],
    "a lost field in braces": [{ line: "Name von {{contract}}" }, /^line: without \{\{name\}\}$/],
    "a placeholder of its own": [{ help: "Siehe __x__ <b>CREC_STATE_DIR</b>." }, /has __x__/],
    "a lost tag": [{ help: "Siehe CREC_STATE_DIR." }, /other tags: <b>/],
    "a changed code": [{ help: "Siehe <b>CREC_STATE_DATEI</b>." }, /other codes/],
    "a text left in English": [{ files_plural: "__count__ files" }, /left in English: files/],
    "an English word": [{ help: "See the <b>CREC_STATE_DIR</b>." }, /English word "the"/],
    "a sentence without its full stop": [{ help: "Siehe <b>CREC_STATE_DIR</b>" }, /full stop/],
  };
  for (const [fault, [changed, expected]] of Object.entries(faults)) {
    it(`finds ${fault}`, async () => {
      const found = await check(changed);
      should(found).have.length(1);
      should(found[0]).match(expected);
    });
  }

  it("finds a text without a letter of the language, where it does not use Latin ones", async () => {
    const found = await check({ label: { wait: "Auf __what__ warten", id: "ID" } }, "ja");
    should(found.join("\n")).match(/label\.wait: without a letter of the language/);
  });
});

describe("the check of translated errors", () => {
  const sentence = "Der Test ist zu Ende.";
  const german = Object.fromEntries(
    documentedCodes().flatMap(({ code, kind }) => (kind === "error" ? [[code, sentence]] : [])),
  );
  const check = async (changed: object) =>
    problemsOfErrors(JSON.parse(JSON.stringify({ ...german, ...changed })), await rulesOf("de"));

  it("finds nothing in good ones", async () => {
    should(await check({})).be.empty();
  });

  const faults: Record<string, [object, string]> = {
    "a code without a translation": [{ TIMEOUT: undefined }, "TIMEOUT: missing"],
    "a code that no error has": [{ GONE: sentence }, "GONE: not in docs/errors.md"],
    "English words": [{ TIMEOUT: "Der Test is over." }, 'TIMEOUT: has the English word "is"'],
    "a placeholder": [
      { TIMEOUT: "Nach __seconds__ zu Ende." },
      "TIMEOUT: has a placeholder, and errors have no values to put in",
    ],
    "a text that is no sentence": [{ TIMEOUT: "zu Ende" }, "TIMEOUT: does not end with a full stop"],
  };
  for (const [fault, [changed, expected]] of Object.entries(faults)) {
    it(`finds ${fault}`, async () => {
      should(await check(changed)).deepEqual([expected]);
    });
  }
});

describe("the check of a translated help", () => {
  const english = "Waits for `msg.crec`.\n\n### Details\n\n- **Name**: see [here](a.md).\n";
  const german = "Wartet auf `msg.crec`.\n\n### Details\n\n- **Name**: siehe [hier](a.md).\n";
  const check = async (from: string, to: string) =>
    problemsOfHelp(english, german.replace(from, to), await rulesOf("de"));

  it("finds nothing in a good one", async () => {
    should(await check("", "")).be.empty();
  });

  const faults: Record<string, [string, string, RegExp]> = {
    "a lost heading": ["### Details\n", "", /another structure from its line 2/],
    "a heading of another level": ["###", "####", /another structure/],
    "changed code": ["`msg.crec`", "`msg.krec`", /other code: `msg\.crec`, `msg\.krec`/],
    "a changed link": ["a.md", "b.md", /other links/],
    "a tag": ["Wartet", "Wartet</script>", /other tags: <\/script>/],
    "lost bold": ["**Name**", "Name", /0 parts in bold for 1/],
    "a line left in English": ["Wartet auf `msg.crec`.", "Waits for `msg.crec`.", /left in English/],
  };
  for (const [fault, [from, to, expected]] of Object.entries(faults)) {
    it(`finds ${fault}`, async () => {
      const found = await check(from, to);
      should(found).have.length(1);
      should(found[0]).match(expected);
    });
  }

  it("finds a field that the help calls something else than the form", () => {
    const label = (text: string) => new Map([["ack.label.name", text]]);
    should(labelsNotExplained(german, label("Name"), english, label("Name"))).be.empty();
    should(labelsNotExplained(german, label("Name"), english, label("Titel"))).deepEqual([
      'the label "Titel" (ack.label.name) is not in bold',
    ]);
  });
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { documentedCodes } from "../../scripts/lib/api/error-codes.ts";
import { problemsOfLanguage, rulesOf } from "../../scripts/lib/languages/check.ts";
import {
  labelsNotExplained,
  problemsOfCatalog,
  problemsOfErrors,
  problemsOfHelp,
} from "../../scripts/lib/languages/problems.ts";
import { ENGLISH, languages } from "../../scripts/lib/locales.ts";
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

/** The one problem that there is. */
function only(problems: readonly string[]): string {
  should(problems).have.length(1);
  return problems[0] ?? "";
}

/** Each finds exactly one problem, such as a lost placeholder, in texts that are right otherwise. */
describe("the checks of translations", () => {
  it("find what is wrong in a catalog: keys, plurals, placeholders, tags, codes, English", async () => {
    const english = {
      label: { wait: "Wait for __what__", id: "ID" },
      files: "__count__ file",
      files_plural: "__count__ files",
      help: "See <b>CREC_STATE_DIR</b>.",
      line: "{{name}} of {{contract}}",
    };
    const german = {
      label: { wait: "Auf __what__ warten", id: "ID" },
      files: "__count__ Datei",
      files_plural: "__count__ Dateien",
      help: "Siehe <b>CREC_STATE_DIR</b>.",
      line: "{{name}} von {{contract}}",
    };
    /** A key that is undefined is missing. */
    const check = async (changed: object, tag = "de") => {
      const catalog = JSON.parse(JSON.stringify({ ...german, ...changed })) as object;
      return problemsOfCatalog(english, catalog, await rulesOf(tag));
    };
    should(await check({})).be.empty();
    for (const [changed, expected] of [
      [{ label: { id: "ID" } }, /^label\.wait: missing$/],
      [{ files_plural: undefined }, /^files_plural: /],
      [{ more: "Mehr" }, /^more: not in English$/],
      [{ files: " " }, /^files: empty$/],
      [{ files: "eine Datei" }, /^files: without __count__$/],
      [{ line: "Name von {{contract}}" }, /^line: without \{\{name\}\}$/],
      [{ help: "Siehe __x__ <b>CREC_STATE_DIR</b>." }, /has __x__/],
      [{ help: "Siehe CREC_STATE_DIR." }, /other tags: <b>/],
      [{ help: "Siehe <b>CREC_STATE_DATEI</b>." }, /other codes/],
      [{ files_plural: "__count__ files" }, /left in English: files/],
      [{ help: "See the <b>CREC_STATE_DIR</b>." }, /English word "the"/],
      [{ help: "Siehe <b>CREC_STATE_DIR</b>" }, /full stop/],
    ] as const)
      should(only(await check(changed))).match(expected);
    const latin = await check({ label: { wait: "Auf __what__ warten", id: "ID" } }, "ja");
    should(latin.join("\n")).match(/label\.wait: without a letter of the language/);
  });

  it("find what is wrong in the errors", async () => {
    const sentence = "Der Test ist zu Ende.";
    const german = Object.fromEntries(
      documentedCodes().flatMap(({ code, kind }) => (kind === "error" ? [[code, sentence]] : [])),
    );
    const check = async (changed: object) =>
      problemsOfErrors(JSON.parse(JSON.stringify({ ...german, ...changed })), await rulesOf("de"));
    should(await check({})).be.empty();
    for (const [changed, expected] of [
      [{ TIMEOUT: undefined }, "TIMEOUT: missing"],
      [{ GONE: sentence }, "GONE: not in docs/errors.md"],
      [{ TIMEOUT: "Der Test is over." }, 'TIMEOUT: has the English word "is"'],
      [
        { TIMEOUT: "Nach __seconds__ zu Ende." },
        "TIMEOUT: has a placeholder, and errors have no values to put in",
      ],
      [{ TIMEOUT: "zu Ende" }, "TIMEOUT: does not end with a full stop"],
    ] as const)
      should(await check(changed)).deepEqual([expected]);
  });

  it("find what is wrong in a help: its structure, code, links, tags, English, and names of fields", async () => {
    const english = "Waits for `msg.crec`.\n\n### Details\n\n- **Name**: see [here](a.md).\n";
    const german = "Wartet auf `msg.crec`.\n\n### Details\n\n- **Name**: siehe [hier](a.md).\n";
    const check = async (from: string, to: string) =>
      problemsOfHelp(english, german.replace(from, to), await rulesOf("de"));
    should(await check("", "")).be.empty();
    for (const [from, to, expected] of [
      ["### Details\n", "", /another structure from its line 2/],
      ["###", "####", /another structure/],
      ["`msg.crec`", "`msg.krec`", /other code: `msg\.crec`, `msg\.krec`/],
      ["a.md", "b.md", /other links/],
      ["Wartet", "Wartet</script>", /other tags: <\/script>/],
      ["**Name**", "Name", /0 parts in bold for 1/],
      ["Wartet auf `msg.crec`.", "Waits for `msg.crec`.", /left in English/],
    ] as const)
      should(only(await check(from, to))).match(expected);
    const label = (text: string) => new Map([["ack.label.name", text]]);
    should(labelsNotExplained(german, label("Name"), english, label("Name"))).be.empty();
    should(labelsNotExplained(german, label("Name"), english, label("Titel"))).have.length(1);
  });
});

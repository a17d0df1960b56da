import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import should from "should";
import { SourcesCopy } from "../launcher/sources-copy.ts";
import { LANGUAGES, Trial } from "./trial.ts";

const run = promisify(execFile);

/** What the checks of the copy read beside the sources. */
const NEEDED = [
  "biome.json",
  "tsconfig.json",
  "tsconfig.editor.json",
  "tsconfig.node20.json",
  "docs/custody.md",
];

/** Quotes a module, so that tools do not take the text for an import of this file. */
const named = (file: string) => JSON.stringify(file);

/**
 * What a contributor adds most often, done in a copy of the sources: in how many files, of those that are written by hand.
 * CONTRIBUTING.md names them. A new node has a test of its own: `test/package/new-node`.
 */
describe("adding to the sources", function () {
  this.timeout(240_000);

  let sources: SourcesCopy;
  before(async () => {
    sources = await SourcesCopy.make(NEEDED);
  });
  after(() => sources?.remove());

  /** As it is now: Node.js keeps what it has loaded before. */
  const fromCopy = (file: string) =>
    import(`${pathToFileURL(join(sources.folder, file)).href}?${Date.now()}`);

  /** With all that was added before, as a contributor's check does it. */
  async function compiles(config: string): Promise<void> {
    const tsc = join(sources.folder, "node_modules/typescript/bin/tsc");
    await run(process.execPath, [tsc, "--noEmit", "-p", join(sources.folder, config)]).catch(({ stdout }) => {
      throw new Error(`The sources with what was added do not compile:\n${stdout}`);
    });
  }

  it("a retry policy takes 1 file", async () => {
    const trial = new Trial(sources);
    await trial.edit(
      "src/retry/policies.ts",
      "request: { ...REQUEST, limit: 3,",
      "request: { ...REQUEST, limit: 1,",
    );
    should(trial.files).eql(["src/retry/policies.ts"]);

    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.writeHead(503, { "content-type": "application/json" }).end("{}");
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { CrecClient } = (await fromCopy("src/index.ts")) as typeof import("../../src/index.ts");
    const { port } = server.address() as AddressInfo;
    const client = new CrecClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: "key" });
    await should(client.networks.list()).be.rejected();
    await client.close();
    server.closeAllConnections();
    server.close();
    should(requests).equal(2);
  });

  it("a filter of events in takes 7 files", async () => {
    const trial = new Trial(sources);
    const [library, node] = ["src/consumer/filter.ts", "nodes/events-in"];
    await trial.edit(
      library,
      "  /** Contract events with less confidence",
      "  /** Status events with one of these statuses. @default all */\n  statuses?: readonly string[] | undefined;\n  /** Contract events with less confidence",
    );
    await trial.edit(
      library,
      "} satisfies { [Name in keyof EventFilter]: ListFilter };",
      "  statuses: { kind: optional(listOf(text)), of: ({ payload }) => [asText(payload.status)] },\n} satisfies { [Name in keyof EventFilter]: ListFilter };",
    );
    await trial.edit(
      `${node}/fields.ts`,
      "    verification: folded(",
      '    statuses: { kind: "typed", types: LIST_TYPES, list: true, placeholder: true },\n    verification: folded(',
    );
    const settings = `${node}/reader/settings.ts`;
    await trial.edit(
      settings,
      '"watcher" | "contractEvent" | "address"',
      '"watcher" | "contractEvent" | "address" | "statuses"',
    );
    await trial.edit(
      settings,
      "filter: { contractEvents, addresses, chainSelectors } };",
      'filter: { contractEvents, addresses, chainSelectors, statuses: await names("statuses") } };',
    );
    for (const language of LANGUAGES)
      await trial.text(`${node}/locales/${language}/events-in.json`, {
        "events-in.label.statuses": "Statuses",
        "events-in.placeholder.statuses": "any",
        "events-in.hint.statuses": "Only events with one of these statuses.",
      });
    should(trial.files).have.length(7);

    const { eventFilter } = (await fromCopy(library)) as {
      eventFilter: (filter: object) => (event: object) => boolean;
    };
    const passes = eventFilter({ statuses: ["confirmed"] });
    const event = (status: string) => ({ headers: { type: "operation.status" }, payload: { status } });
    should([passes(event("confirmed")), passes(event("pending"))]).eql([true, false]);
  });

  it("a kind of signer takes 17 files", async () => {
    const trial = new Trial(sources);
    const custody = "src/signing/custody";
    await trial.edit("src/protocol/signers.ts", "  privy: 60_000,", "  privy: 60_000,\n  acme: 60_000,");
    await trial.add(
      `${custody}/acme-signer.ts`,
      `import { ArgumentError } from ${named("../../errors.ts")};
import type { CustodyOptions, CustodySigner } from ${named("./custody-signer.ts")};

export type AcmeSignerOptions = CustodyOptions & { url: string };

export function acmeSigner({ url }: AcmeSignerOptions): Promise<CustodySigner> {
  return Promise.reject(new ArgumentError("url", \`\${url} has no keys.\`));
}
`,
    );
    await trial.edit(
      `${custody}/index.ts`,
      "export type { CustodyOptions",
      `export { type AcmeSignerOptions, acmeSigner } from ${named("./acme-signer.ts")};\nexport type { CustodyOptions`,
    );
    await trial.edit(
      "src/index.ts",
      "  type AwsCredentials,",
      "  type AcmeSignerOptions,\n  acmeSigner,\n  type AwsCredentials,",
    );
    await trial.edit(
      "nodes/common/shared/signers.ts",
      "} as const satisfies Readonly<Record<string, SignerTime>>;",
      '  acme: { timeout: MS.acme / 1000, mayAskPeople: false, keyKind: "ecdsa" },\n} as const satisfies Readonly<Record<string, SignerTime>>;',
    );
    const fields = "nodes/signer/fields.ts";
    await trial.edit(fields, '  "remote",\n] as const', '  "remote",\n  "acme",\n] as const');
    await trial.edit(fields, '"privy", "remote"] }', '"privy", "remote", "acme"] }');
    await trial.edit(
      fields,
      "    // In the order in which each vendor's console shows them.",
      '    acmeUrl: { kind: "text", required: true, check: isWebAddress, shown: { kind: "acme" } },\n    // In the order in which each vendor\'s console shows them.',
    );
    await trial.edit(
      "nodes/signer/key-services.ts",
      "  remote: REMOTE,\n};",
      `  remote: REMOTE,
  acme: {
    custodian: "Acme",
    addressField: "acmeUrl",
    defaultAddress: () => "",
    open: (library, values, options) => library.acmeSigner({ url: values.text("acmeUrl"), ...options }),
  },
};`,
    );
    await trial.edit(
      "plugins/monitor/diagnostics/shown-fields.ts",
      '    privyUrl: "address",',
      '    privyUrl: "address",\n    acmeUrl: "address",',
    );
    for (const language of LANGUAGES) {
      await trial.text(`nodes/signer/locales/${language}/signer.json`, {
        "signer.kind.acme": "Acme",
        "signer.called.acme": "Acme",
        "signer.explained.kind.acme": "The key never leaves Acme.",
        "signer.label.acmeUrl": "URL",
        "signer.error.acmeUrl": "Enter the address of Acme.",
      });
      await trial.edit(`nodes/signer/locales/${language}/signer.md`, /\n$/, "\n\nAcme: its address.\n");
    }
    await trial.edit("docs/custody.md", /\n$/, "\n\n## Acme\n\nEnter its address.\n");
    should(trial.files).have.length(17);

    const { NODE } = (await fromCopy(fields)) as typeof import("../../nodes/signer/fields.ts");
    should(NODE.fields.kind.options).containEql("acme");
  });

  it("a section of the sidebar takes 9 files", async () => {
    const trial = new Trial(sources);
    const plugin = "plugins/monitor";
    await trial.edit(
      `${plugin}/types.ts`,
      "  approvals: DraftReport;",
      "  approvals: DraftReport;\n  times: { name: string; origin: Origin };",
    );
    await trial.edit(
      `${plugin}/push/sections.ts`,
      '    connections: new SectionRows("connections", {',
      `    times: new SectionRows("times", {
      revision: () => undefined,
      reports: () => [],
      keyOf: ({ name }) => name,
    }),
    connections: new SectionRows("connections", {`,
    );
    await trial.edit(
      `${plugin}/push/sections.ts`,
      '  issues: ["id"',
      '  times: ["name", "origin"],\n  issues: ["id"',
    );
    await trial.edit(
      `${plugin}/editor/live-updates.ts`,
      "    approvals: new Map(),",
      "    approvals: new Map(),\n    times: new Map(),",
    );
    await trial.add(
      `${plugin}/editor/panels/times.ts`,
      `import { by, type PanelKind } from ${named("../panel.ts")};
import { numberText } from ${named("../words.ts")};

export const times: PanelKind<"times"> = {
  id: "times",
  section: "times",
  order: by(({ name }) => name),
  view: ({ key, name }) => ({ key, tone: "ok", title: name, state: "", lines: [], opens: undefined }),
  summary: (rows) => numberText(rows.length),
};
`,
    );
    const sidebar = `${plugin}/editor/sidebar.ts`;
    await trial.edit(sidebar, "    panelOf(approvals),", "    panelOf(approvals),\n    panelOf(times),");
    await trial.edit(sidebar, /^import/m, `import { times } from ${named("./panels/times.ts")};\nimport`);
    for (const language of LANGUAGES)
      await trial.text(`${plugin}/locales/${language}/monitor.json`, {
        "monitor.panel.times": "Times",
        "monitor.empty.times": "Nothing has a time.",
      });
    should(trial.files).have.length(9);

    const { allSections } = (await fromCopy(
      `${plugin}/push/sections.ts`,
    )) as typeof import("../../plugins/monitor/push/sections.ts");
    const reports = { reports: () => [], all: () => [], revision: 0 };
    const activity = new Proxy({}, { get: () => reports });
    should(allSections({ activity, issues: reports } as never)).have.property("times");
  });

  it("leaves sources that compile, for Node-RED and for the editor", async () => {
    await writeFile(
      join(sources.folder, "tsconfig.added.json"),
      JSON.stringify({ extends: "./tsconfig.json", include: ["src", "nodes", "plugins", "rehearsal"] }),
    );
    await compiles("tsconfig.added.json");
    await compiles("tsconfig.editor.json");
  });
});

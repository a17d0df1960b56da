import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { main } from "../../rehearsal/cli/main.ts";
import { writeEventFile } from "../../rehearsal/parent/events/event-file.ts";
import { readEvents } from "../../rehearsal/parent/events/read-events.ts";
import { readSnapshot } from "../../rehearsal/parent/snapshot.ts";
import type { Expectations } from "../../rehearsal/report/expectations.ts";
import type { PastEvent } from "../../rehearsal/shared/job.ts";
import type { Report } from "../../rehearsal/shared/report.ts";
import type { RunningService } from "../../service/src/index.ts";
import { CrecClient } from "../../src/index.ts";
import { eventually } from "../support/eventually.ts";
import { flowEnvironment, startTestService } from "../support/service.ts";
import { TRANSFER } from "../support/transfer.ts";
import { itWide } from "../support/wide.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const COMMAND = join(root, "bin/crec-rehearse.cjs");
const EXAMPLE = join(root, "examples/02-large-transfer-alert.json");
const RECEIVER = "0x0000000000000000000000000000000000000D02";
const ONE = 10n ** 18n;

type Ended = { code: number; out: string; err: string };

describe("crec-rehearse", function () {
  this.timeout(120_000);
  let folder: string;
  let env: NodeJS.ProcessEnv = {};
  /** The first rehearsal, whose files the tests use. */
  let first: Ended;
  const file = (name: string): string => join(folder, name);

  /** Runs the command as a person does, in a project with Node-RED. */
  function run(...args: string[]): Promise<Ended> {
    return new Promise((resolve) => {
      const options = { cwd: root, env: { PATH: process.env.PATH, ...env } };
      execFile(process.execPath, [COMMAND, ...args], options, (error, out, err) => {
        resolve({ code: error ? Number(error.code) : 0, out, err });
      });
    });
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "crec rehearse "));
    env = await record(file("events.json"));
    const written = [
      ...["--report", file("report.json"), "--html", file("report.html")],
      ...["--write-expect", file("expect.json")],
    ];
    first = await run("--flow", EXAMPLE, "--events", file("events.json"), ...written);
  });
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  it("says what the large-transfer example would have done, and keeps it as a test that is met", async () => {
    should(first.code).equal(0, first.err);
    should(first.out)
      .match(/^Rehearsal of Alert on a large transfer by MQTT, never lost\n/)
      .and.match(/ 2 alerts/);
    const report = JSON.parse(await readFile(file("report.json"), "utf8")) as Report;
    const alerts = report.outcomes.filter(({ kind }) => kind === "alert");
    should(alerts.map(({ text }) => text)).deepEqual(["Large transfer", "Large transfer"]);
    should(await readFile(file("report.html"), "utf8")).startWith("<!doctype html>");

    const kept = ["--expect", file("expect.json"), "--compare", file("report.json")];
    const again = await run("--flow", EXAMPLE, "--events", file("events.json"), ...kept);
    should(again.code).equal(0, again.out + again.err);
    should(again.out)
      .match(/No outcome and no count differs\./)
      .and.match(/As expected\.\n$/);
  });

  it("ends with 1 and says what differs, when the limit of the flow has changed", async () => {
    const flow = (await readFile(EXAMPLE, "utf8")).replace('"value": "200"', '"value": "400"');
    await writeFile(file("changed.json"), flow);
    const args = ["--flow", file("changed.json"), "--events", file("events.json")];
    const ended = await run(...args, "--expect", file("expect.json"), "--compare", file("report.json"));
    should(ended.code).equal(1, ended.err);
    should(ended.out).match(/: 1 alert fewer \(1 instead of 2\)/);
    should(ended.out).match(/Not as expected: \d+ differences\n/);
    should(ended.out)
      .match(/: 1 alert, expected 2\.\n/)
      .and.match(/: no alert of event \d+, “Large transfer”\.\n/);
  });

  itWide("ends with 2, and says what to do", async () => {
    const events = file("events.json");
    await writeFile(file("no.json"), "{");
    await writeFile(file("disabled.json"), '[{"id":"a","type":"tab","label":"Off","disabled":true}]');
    const kept = JSON.parse(await readFile(file("expect.json"), "utf8")) as Expectations;
    await writeFile(file("no-times.json"), JSON.stringify({ ...kept, run: { ...kept.run, to: "later" } }));
    const cases: Array<[string[], RegExp]> = [
      [["--flo", "x"], /Unknown option '--flo'.*--help/],
      [["--flow", file("missing.json")], /cannot be read: .*Check its path\.$/],
      [["--flow", file("no.json"), "--events", events], /is not JSON: .*Correct it/],
      [["--flow", file("disabled.json")], /^All tabs are disabled: "Off"\. Enable one in the editor/],
      [["--flow", EXAMPLE], /^There are no events\. Name a file with --events/],
      [
        ["--flow", EXAMPLE, "--events", events, "--tab", "None"],
        /no tab "None"\. Name one of these: "Alert on/,
      ],
      [
        ["--flow", EXAMPLE, "--events", events, "--expect", EXAMPLE],
        /no file of the format crec-expectations/,
      ],
      [["--flow", EXAMPLE, "--events", events, "--time-zone", "Mars"], /--time-zone must be .*not "Mars"\.$/],
      [
        ["--flow", EXAMPLE, "--events", events, "--from", "soon"],
        /--from must be a time with its zone such as/,
      ],
      [
        ["--flow", EXAMPLE, "--events", events, "--to", "2026-01-31T12:00:00"],
        /--to must be .* such as 2026-01-31T12:00:00Z .* not "2026-01-31T12:00:00"\.$/,
      ],
      [
        ["--flow", EXAMPLE, "--events", events, "--expect", file("no-times.json")],
        /no-times\.json is not complete\. Write it again with --write-expect\.$/,
      ],
      [
        ["--flow", EXAMPLE, "--events", events, "--module", "no-such"],
        /no-such is not installed.*npm install/,
      ],
      [
        ["--flow", EXAMPLE, "--events", events, "--node-red", folder],
        /No Node-RED was found.*npm install node-red/,
      ],
    ];
    const { code, err } = await run();
    should(err).match(/^--flow is missing\. Name the file/);
    should(code).equal(2);
    // The others without a process of their own.
    for (const [args, said] of cases) {
      const errors: string[] = [];
      const output = { say: () => {}, warn: (line: string) => errors.push(line) };
      should(await main(args, root, output)).equal(2);
      should(errors.at(-1)).match(said);
    }
  });

  itWide("runs twice at once, over the same flow and file", async () => {
    const args = ["--flow", EXAMPLE, "--events", file("events.json"), "--expect", file("expect.json")];
    for (const { code, out, err } of await Promise.all([run(...args), run(...args)])) {
      should(code).equal(0, out + err);
    }
  });

  it("shows its options and its version", async () => {
    should((await run("--help")).out).match(/^Usage: npx -p @crec-nodes\/node-red-crec crec-rehearse /);
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
    should(await run("--version")).deepEqual({ code: 0, out: `${version}\n`, err: "" });
  });

  itWide("takes only the events of the span that is asked for", async () => {
    const { span } = JSON.parse(await readFile(file("report.json"), "utf8")) as Report;
    const to = new Date(span.from).toISOString();
    const { code, out, err } = await run("--flow", EXAMPLE, "--events", file("events.json"), "--to", to);
    should(code).equal(0, err);
    should(out)
      .match(/, [1-7] events?\n/)
      .and.not.match(/ 2 alerts/);
  });
});

/** Records two large transfers and a small one of a real service. Returns the environment of the flow. */
async function record(path: string): Promise<Record<string, string>> {
  const service: RunningService = await startTestService();
  const env = flowEnvironment(service.ready);
  const client = new CrecClient({ baseUrl: env.CREC_BASE_URL, apiKey: env.CREC_API_KEY });
  try {
    const { channel_id: id } = await client.channels.create({ name: "quickstart" });
    const { watcher_id: watcher } = await client.watchers.create(id, {
      name: "transfers",
      chain_selector: env.CREC_CHAIN_SELECTOR,
      address: env.CREC_TOKEN_ADDRESS,
      events: ["Transfer"],
      abi: [{ ...TRANSFER, inputs: [...TRANSFER.inputs] }],
    });
    await client.watchers.waitFor(id, watcher, { target: "active" });
    for (const tokens of [250n, 30n, 500n]) await pay(service, tokens * ONE);
    await untilFinal(client, id, 3);
    const { batches } = await readEvents(client, [id], { kind: "times", from: 0, to: Date.now() });
    const events: PastEvent[] = [];
    for await (const batch of batches) events.push(...batch);
    const snapshot = await readSnapshot(client, [id]);
    await writeEventFile(path, {
      format: "crec-events",
      version: 1,
      channel: { id, name: "quickstart" },
      snapshot,
      events: events.map(({ event }) => event),
    });
    return env;
  } finally {
    await client.close();
    await service.close();
  }
}

async function pay({ ready }: RunningService, amount: bigint): Promise<void> {
  const answer = await fetch(`${ready.base_url}/local/faucet`, {
    method: "POST",
    headers: { authorization: `Apikey ${ready.api_key}`, "content-type": "application/json" },
    body: JSON.stringify({ to: RECEIVER, amount: String(amount) }),
  });
  should(answer.status).equal(200);
}

/** Each transfer becomes two events: one of its newest block, and one when the block is final. */
async function untilFinal(client: CrecClient, id: string, transfers: number): Promise<void> {
  await eventually(
    `${transfers} final transfers`,
    () => client.events.poll(id, { limit: 100 }),
    ({ events }) => events.filter(({ headers }) => headers.type === "watcher.event").length >= 2 * transfers,
  );
}

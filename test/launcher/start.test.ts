import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import should from "should";
import { GRACE_MS, LATER_MS } from "../../scripts/lib/children.ts";
import { eventually } from "../support/eventually.ts";
import { inVariants } from "../support/variants.ts";
import { itWide } from "../support/wide.ts";
import { allEnded, LaunchersOnTrial, type Ready } from "./launched.ts";
import { SourcesCopy } from "./sources-copy.ts";

/** Everything has ended this long after the launcher or npm was killed: 5 s on a machine with nothing else to do. */
const END_MS = 60_000;

describe("a copy of the sources", () => {
  let sources: SourcesCopy;

  before(async function () {
    // Processes are found by their environment, which only Linux shows.
    if (process.platform !== "linux") return this.skip();
    sources = await SourcesCopy.make();
  });
  after(() => sources?.remove());

  describe("npm start", function () {
    this.timeout(180_000);
    const launchers = new LaunchersOnTrial();

    beforeEach(() => launchers.setUp(sources.folder));
    afterEach(function () {
      return launchers.tearDown(this);
    });

    it("says when all is up what there is to know, in one line, and leaves nothing running when npm is killed", async () => {
      const launched = launchers.npm("start");
      const ready = await launched.ready;

      should(Object.keys(ready)).containDeep([
        ...["editor_url", "base_url", "graphql_url", "api_key", "org_id", "workflow_owner", "cre_tenant_id"],
        ...["valid_signers", "min_required_signatures", "rpc_url", "chain_selector", "chain_id", "contracts"],
      ]);
      should(Object.keys(ready)[0]).equal("editor_url");
      should((await fetch(editorUrl(ready))).status).equal(200);
      should((await channels(ready)).status).equal(200);
      should(await typesOf(editorUrl(ready))).containDeep(["crec-connection", "crec-events-in"]);
      should(await labelsOf(editorUrl(ready))).not.be.empty();
      should(launched.said()).containEql(editorUrl(ready));

      launched.process.kill("SIGKILL");
      await allEnded(launched, END_MS);
    });

    itWide("ends everything when it is asked to before all is up", async () => {
      const launched = launchers.node("scripts/start.ts");
      await launched.says("Starting the chain");

      launched.process.kill("SIGTERM");
      should(await launched.ended).equal(0);
      await allEnded(launched, END_MS);
    });

    // In the core, npm is killed, and in the wide tests a part of it.
    inVariants(() => {
      itWide("leaves nothing running when it is killed", async () => {
        const launched = launchers.node("scripts/start.ts");
        await launched.ready;

        launched.process.kill("SIGKILL");
        await allEnded(launched, END_MS);
      });
    });

    itWide("ends everything, with exit code 1 and a sentence, when one part dies", async () => {
      const launched = launchers.node("scripts/start.ts");
      await launched.ready;
      const service = launched.processes().find(({ command }) => command.includes("service/src/cli.ts"));
      if (service === undefined) throw new Error("the service does not run");

      process.kill(service.pid, "SIGKILL");
      should(await launched.ended).equal(1);
      should(launched.said()).match(/The local service ended by itself \(signal SIGKILL\)/);
      await allEnded(launched, END_MS);
    });

    itWide(
      "ends everything when asked to, or on Ctrl-C pressed twice, finds its flows and its data again, and builds only what changed",
      async () => {
        const first = launchers.node("scripts/start.ts");
        const before = await first.ready;
        await addTab(editorUrl(before), "My own flow");
        should(await typesOf(editorUrl(before))).not.containEql("ui-base");
        const labels = await labelsOf(editorUrl(before));
        should((await channels(before, { name: "my own channel" })).status).equal(201);
        should(first.processes().length).be.aboveOrEqual(4); // launcher, service, chain, Node-RED
        first.process.kill("SIGTERM");
        should(await first.ended).equal(0);
        should(first.processes()).be.empty();

        const second = launchers.node("scripts/start.ts");
        const after = await second.ready;
        should(second.said()).containEql("nothing has changed since the last build");
        should(labels).containEql("My own flow");
        // The palette of one node of its flows, and no other.
        const types = await typesOf(editorUrl(after));
        should(types).containEql("ui-base");
        should(types).not.containEql("e-mail");
        should(await labelsOf(editorUrl(after))).eql(labels);
        should(await (await channels(after)).json()).containDeep({ data: [{ name: "my own channel" }] });
        should(after.contracts).eql(before.contracts);

        second.process.kill("SIGINT");
        second.process.kill("SIGINT");
        should(await second.ended).equal(0);
        should(second.processes()).be.empty();
      },
    );

    for (const variable of ["PORT", "CREC_SERVICE_PORT"]) {
      itWide(`says in one sentence that the port of ${variable} is taken`, async () => {
        const taken = createServer().listen(0, "127.0.0.1");
        await once(taken, "listening");
        const { port } = taken.address() as AddressInfo;
        const launched = launchers.node("scripts/start.ts", { [variable]: String(port) });

        should(await launched.ended).equal(1);
        should(launched.said()).match(new RegExp(`^Port ${port} .* is taken: .* set ${variable} .*\\.\n$`));
        taken.close();
      });
    }
  });

  describe("npm run service", function () {
    this.timeout(180_000);
    const launchers = new LaunchersOnTrial();

    beforeEach(() => launchers.setUp(sources.folder));
    afterEach(function () {
      return launchers.tearDown(this);
    });

    itWide("runs the service alone, and waits for a chain that takes long to be saved", async () => {
      const launched = launchers.node("scripts/service.ts");
      const ready = await launched.ready;
      should(ready).not.have.property("editor_url");
      should((await channels(ready)).status).equal(200);
      const watchdog = launched.processes().find(({ command }) => command.includes("watchdog"));
      // As one that has much to write.
      process.kill(watchdog?.pid ?? 0, "SIGSTOP");
      launched.process.kill("SIGINT");
      await launched.says("Saving the chain's state");
      // Anything else would have been killed.
      const deadline = performance.now() + GRACE_MS + LATER_MS;
      await eventually(
        "the time that other processes get",
        () => performance.now(),
        (now) => now > deadline,
      );
      should(launched.processes().length).be.aboveOrEqual(4); // launcher, service, chain, watchdog
      process.kill(watchdog?.pid ?? 0, "SIGCONT");
      should(await launched.ended).equal(0);
      should(launched.processes()).be.empty();
    });
  });
});

function editorUrl({ editor_url: url }: Ready): string {
  if (url === undefined) throw new Error("the ready line has no editor_url");
  return url;
}

function channels({ base_url, api_key }: Ready, create?: { name: string }): Promise<Response> {
  return fetch(`${base_url}/channels`, {
    method: create ? "POST" : "GET",
    headers: { Authorization: `Apikey ${api_key}`, "Content-Type": "application/json" },
    ...(create ? { body: JSON.stringify(create) } : {}),
  });
}

async function typesOf(editor: string): Promise<string[]> {
  const headers = { Accept: "application/json" };
  const sets: { types: string[] }[] = await (await fetch(`${editor}nodes`, { headers })).json();
  return sets.flatMap(({ types }) => types);
}

type FlowNode = { id: string; type: string; label?: string };
const FLOWS_API = { "Node-RED-API-Version": "v2", "Content-Type": "application/json" };

async function flowsOf(editor: string): Promise<FlowNode[]> {
  return (await (await fetch(`${editor}flows`, { headers: FLOWS_API })).json()).flows;
}

async function labelsOf(editor: string): Promise<(string | undefined)[]> {
  return (await flowsOf(editor)).filter(({ type }) => type === "tab").map(({ label }) => label);
}

/** With a node of a palette that is not loaded: a disabled tab, which does not keep other flows from starting. */
async function addTab(editor: string, label: string): Promise<void> {
  const flows = [
    ...(await flowsOf(editor)),
    { id: "0123456789abcdef", type: "tab", label, disabled: true },
    { id: "0123456789abcdee", type: "ui-event", z: "0123456789abcdef", wires: [[]] },
  ];
  const body = JSON.stringify({ flows });
  const response = await fetch(`${editor}flows`, { method: "POST", headers: FLOWS_API, body });
  should(response.status).equal(200);
}

import { once } from "node:events";
import should from "should";
import { freePort } from "../support/free-port.ts";
import { inVariants } from "../support/variants.ts";
import { allEnded, type Launched, LaunchersOnTrial } from "./launched.ts";
import { SourcesCopy } from "./sources-copy.ts";

const END_MS = 60_000;

/** What is listed at `/json`: the process that a debugger there gets. */
type Target = { title: string; webSocketDebuggerUrl: string };

describe("a debugger", function () {
  this.timeout(180_000);
  const launchers = new LaunchersOnTrial();
  let port: number;

  let sources: SourcesCopy;

  before(async function () {
    if (process.platform !== "linux") return this.skip();
    sources = await SourcesCopy.make();
  });
  after(() => sources?.remove());
  beforeEach(async () => {
    await launchers.setUp(sources.folder);
    port = await freePort();
  });
  afterEach(function () {
    return launchers.tearDown(this);
  });

  it("gets Node-RED, at the port asked for, when npm passes the option on", async () => {
    const launched = launchers.npm("start", `--node-options=--inspect=${port}`);
    const url = await saidOf(launched, "Node-RED");
    should(url.port).equal(String(port));
    await shouldDebug(url, /node-red\/red\.js/);

    await launched.ready;
    // Nobody else has one, or wanted one.
    should(launched.said().match(/debugger listen|starting inspector/gi)).have.length(1);
    launched.process.kill("SIGTERM");
    await allEnded(launched, END_MS);
  });

  inVariants(() => {
    it("gets Node-RED at the next free port, when npm has taken the one asked for", async () => {
      const launched = launchers.npmWith({ NODE_OPTIONS: `--inspect=${port}` }, "start");
      const url = await saidOf(launched, "Node-RED");
      should(Number(url.port)).be.above(port);
      await shouldDebug(url, /node-red\/red\.js/);
      await shouldDebug(new URL(`ws://127.0.0.1:${port}`), /npm/);

      await launched.ready;
      should(launched.said().match(/debugger listen|starting inspector/gi)).have.length(2);
      launched.process.kill("SIGTERM");
      await allEnded(launched, END_MS);
    });

    it("holds Node-RED at its first line for --inspect-brk, and nothing else", async () => {
      const launched = launchers.npm("start", `--node-options=--inspect-brk=${port}`);
      const url = await saidOf(launched, "Node-RED");
      should(url.port).equal(String(port));

      should(await goOn(url)).equal("Break on start");
      const { editor_url: editor = "" } = await launched.ready;
      should((await fetch(editor)).status).equal(200);
      launched.process.kill("SIGTERM");
      await allEnded(launched, END_MS);
    });
  });

  it("gets the service, when that is started alone", async () => {
    const launched = launchers.npm("run", "service", `--node-options=--inspect=${port}`);
    const url = await saidOf(launched, "The local service");
    should(url.port).equal(String(port));
    await shouldDebug(url, /service\/src\/cli\.ts/);

    await launched.ready;
    launched.process.kill("SIGTERM");
    await allEnded(launched, END_MS);
  });
});

async function saidOf(launched: Launched, name: string): Promise<URL> {
  await launched.says(`${name}'s debugger listens at ws://`);
  const [, url = ""] = new RegExp(`${name}'s debugger listens at (\\S+)`).exec(launched.said()) ?? [];
  return new URL(url);
}

async function shouldDebug({ host }: URL, title: RegExp): Promise<void> {
  const targets: Target[] = await (await fetch(`http://${host}/json`)).json();
  should(targets).have.length(1);
  should(targets[0]?.title).match(title);
}

/** Does what a person does with "resume", and gives the reason why the process was held. */
async function goOn(url: URL): Promise<string> {
  const socket = new WebSocket(url);
  await once(socket, "open");
  const held = new Promise<string>((resolve) => {
    socket.addEventListener("message", ({ data }) => {
      const { method, params } = JSON.parse(data);
      if (method === "Debugger.paused") resolve(params.reason);
    });
  });
  const send = (id: number, method: string) => socket.send(JSON.stringify({ id, method }));
  send(1, "Debugger.enable");
  send(2, "Runtime.runIfWaitingForDebugger");
  const reason = await held;
  send(3, "Debugger.resume");
  send(4, "Debugger.disable");
  socket.close();
  return reason;
}

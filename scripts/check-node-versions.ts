// npm run check:node-versions: runs both packages as users have them, which no tool does. npx starts the packed local service
// in an empty folder. The packed nodes are installed into Node-RED 4.1 on Node.js 20 and 22 and into Node-RED 5 on Node.js 22
// and 24. There it imports the settings that the service shows and the quickstart, presses the buttons, and waits for what
// they lead to. The lowest versions are those that the manifests allow. On an older Node.js, the service and each node must
// report that. On each version, flows of rehearsals try to change files. Needs the registry; takes one to two minutes.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { type FlowNode, NodeRed, UserDir } from "../test/support/node-red.ts";
import { checking, messageOf, readyLine, type Started, startProgram, trying } from "./lib/check.ts";
import { installInto, installNode, versionOf } from "./lib/installs.ts";
import { npmCommand } from "./lib/npm-command.mjs";
import { root } from "./lib/paths.mjs";
import { readJson } from "./lib/read-json.mjs";
import { importedFlows, runQuickstart } from "./lib/run-quickstart.ts";
import { packBuilt } from "./packing/stage.ts";

type Service = Started<unknown>;

const lowest = await lowestNode("package.json");
const lowestOfService = await lowestNode("service/package.json");
const TOO_OLD = "18";
const COMBINATIONS = [
  { nodeRed: "4.1", version: TOO_OLD },
  { nodeRed: "4.1", version: lowest },
  { nodeRed: "4.1", version: "22" },
  { nodeRed: "5", version: "22" },
  { nodeRed: "5", version: "24" },
];
const onWindows = process.platform === "win32";

async function lowestNode(file: string): Promise<string> {
  return (await readJson(join(root, file))).engines.node.replace(/^>=/, "");
}

await checking("node-versions", async (folder, atEnd) => {
  const packed = await packBuilt(folder, ["nodes", "service"]);
  const programs = new Map<string, { node: string; version: string }>();
  for (const version of new Set([lowestOfService, ...COMBINATIONS.map((one) => one.version)]))
    programs.set(version, await installNode(folder, version));
  for (const nodeRed of new Set(COMBINATIONS.map((one) => one.nodeRed)))
    await installInto(join(folder, `node-red-${nodeRed}`), [`node-red@${nodeRed}`]);
  const nodeOf = (version: string) => programs.get(version)?.node ?? "";

  /** The packed service by npx, in an empty folder and a process group of its own, which gets Ctrl-C as of a terminal. */
  async function startService<T>(version: string, look: (said: string) => T | undefined) {
    const cwd = join(folder, `service-${version}`);
    await mkdir(cwd, { recursive: true });
    const args = ["--local", "--port", "0"];
    const npx = npmCommand(["exec", "--yes", "--ignore-scripts", "--", `file:${packed.service}`, ...args]);
    const env = {
      ...process.env,
      PATH: [dirname(nodeOf(version)), process.env.PATH].join(delimiter),
      CREC_DATA_DIR: join(cwd, "data"),
      // Otherwise npm would keep each packed version in the cache of the user.
      ...{ npm_config_cache: join(cwd, "npm"), npm_config_update_notifier: "false" },
    };
    const options = { cwd, env, detached: !onWindows };
    const started = await startProgram([npx.command, ...npx.args], look, options);
    atEnd(() => interrupt(started));
    return started;
  }
  const serviceOf = new Map<string, ReturnType<typeof startService>>();

  // On an older Node.js, the service says which one it needs, in one sentence.
  for (const version of [TOO_OLD, lowest]) {
    await trying(`The packed service on Node.js ${version}`, async () => {
      const needs = `The local service needs Node.js ${lowestOfService} or newer; this is `;
      const { child, said } = await startService(version, (text) => text.includes(needs) || undefined);
      if (child.exitCode === null) await once(child, "close");
      if (child.exitCode !== 1 || /^\s+at /m.test(said()))
        throw new Error(`it ended with ${child.exitCode} and said:\n${said()}`);
      return "says what it needs";
    });
  }
  // What a rehearsed flow must not be able to do.
  const tests = ["files", "cannot-act"].map((name) => join(root, `test/rehearsal/${name}.test.ts`));
  const mocha = [
    join(root, "node_modules/mocha/bin/mocha.js"),
    "--grep",
    "another version of Node",
    ...tests,
  ];
  for (const version of new Set(COMBINATIONS.slice(1).map((one) => one.version))) {
    const env = { ...process.env, CI: "1", CREC_OTHER_NODE: nodeOf(version) };
    await trying(`A rehearsed flow on Node.js ${version}`, async () => {
      await promisify(execFile)(process.execPath, mocha, { cwd: root, env });
      return "writes no file";
    });
  }

  for (const { nodeRed, version } of COMBINATIONS) {
    const installed = join(folder, `node-red-${nodeRed}`, "node_modules/node-red");
    const title = `Node-RED ${await versionOf(installed)} on Node.js ${programs.get(version)?.version}`;
    await trying(title, async () => {
      const userDir = await UserDir.make(join(folder, `user-${nodeRed}-${version}`));
      await installInto(userDir.path, [packed.nodes]);
      const program = { node: nodeOf(version), red: join(installed, "red.js") };
      // Without the nodes of this folder.
      const red = await NodeRed.start(userDir, {}, { program, define: ["nodesDir=[]"] });
      try {
        if (version === TOO_OLD) return await refusal(red);
        const ofService = Number.parseInt(version, 10) > Number.parseInt(lowestOfService, 10);
        return await quickstart(red, ofService ? version : lowestOfService);
      } catch (error) {
        throw new Error(`${messageOf(error)}\n${red.log.slice(-4_000)}`);
      } finally {
        await red.stop();
      }
    });
  }

  /** As a person does who has the nodes from the palette: imports the settings that the service shows, then the example. */
  async function quickstart(red: NodeRed, version: string) {
    const started = serviceOf.get(version) ?? startService(version, readyLine);
    serviceOf.set(version, started);
    const { ready, said } = await started;
    // npm warns of its own settings.
    const warnings = said().match(/^(?!npm warn).*warn.*$/gim) ?? [];
    if (warnings.length > 0) throw new Error(`the packed service warns: ${warnings.join("\n")}`);
    const { base_url } = ready as NonNullable<ReturnType<typeof readyLine>>;
    const settings = (await (await fetch(`${base_url}/local/node-red.json`)).json()) as FlowNode[];
    return `with the packed service on Node.js ${version}, ${await runQuickstart(red, settings, true)}`;
  }
});

async function refusal(red: NodeRed) {
  const flows = await importedFlows();
  await red.deploy(flows);
  const sentence = `These nodes need Node.js ${lowest} or newer`;
  for (const { id, type } of flows.filter((node) => node.type.startsWith("crec-"))) {
    await red.status(id, ({ text = "" }) => text.startsWith(sentence));
    if (!red.log.includes(`[${type}:`)) throw new Error(`the log does not name ${type}`);
  }
  if (/^\s+at /m.test(red.log)) throw new Error("the log contains a stack trace");
  return `each node says "${sentence}"`;
}

async function interrupt({ child }: Service) {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, "exit");
  if (onWindows) child.kill();
  else process.kill(-child.pid, "SIGINT");
  await ended;
}

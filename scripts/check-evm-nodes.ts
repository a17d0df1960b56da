// npm run check:evm-nodes: runs the quickstart with the local service on the development nodes that users have, which no tool
// does. Installs Hardhat and Ganache from npm and geth with Go, and starts each of them and anvil, with the service and
// Node-RED on it. Needs the registries; takes a minute, and longer the first time, when geth is compiled.
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { NodeRed, UserDir } from "../test/support/node-red.ts";
import { checking, endProgram, notTried, readyLine, startProgram, trying } from "./lib/check.ts";
import { flowEnvironment } from "./lib/flow-environment.ts";
import { goInstall, installInto } from "./lib/installs.ts";
import { root } from "./lib/paths.mjs";
import { HOST, nextFreePort } from "./lib/ports.mjs";
import { runQuickstart } from "./lib/run-quickstart.ts";

/** It makes a block only for a transaction, and finalizes it after 32 more: the service advises this option then. */
const OPTIONS: Record<string, string[]> = { "geth --dev": ["--confidence", "latest"] };

await checking("evm-nodes", async (folder, atEnd) => {
  await writeFile(join(folder, "hardhat.config.js"), 'module.exports = { solidity: "0.8.28" };\n');
  await installInto(folder, ["hardhat@2", "ganache@7"]);
  const geth = await goInstall(folder, "github.com/ethereum/go-ethereum/cmd/geth@v1.16.7");
  if (geth === undefined)
    notTried("geth was not tried: it is compiled, and Go is not installed. See https://go.dev/dl.");
  const ofGeth = async (port: string, ...more: string[]) => [
    ...[geth ?? "", "--dev", ...more, "--datadir", await mkdtemp(join(folder, "geth-")), "--ipcdisable"],
    ...["--http", "--http.addr", HOST, "--http.port", port, "--port", "0", "--authrpc.port", "0"],
  ];
  const installed = (file: string) => [process.execPath, join(folder, "node_modules", file)];
  /** Each with the command that runs it on a port. */
  const nodes: Record<string, (port: string) => Promise<string[]>> = {
    anvil: async (port) => [await anvil(), "--port", port],
    "Hardhat Network": async (port) => [
      ...[...installed("hardhat/internal/cli/bootstrap.js"), "node", "--port", port],
    ],
    Ganache: async (port) => [...installed("ganache/dist/node/cli.js"), "--server.port", port],
    "geth --dev": (port) => ofGeth(port),
    "geth --dev --dev.period 1": (port) => ofGeth(port, "--dev.period", "1"),
  };

  async function check(name: string, command: (port: string) => Promise<string[]>) {
    const port = String(await nextFreePort(0, HOST));
    const url = `http://${HOST}:${port}`;
    const node = await startProgram(await command(port), () => answers(url), { cwd: folder });
    atEnd(() => endProgram(node.child));
    const data = await mkdtemp(join(folder, "data-"));
    const args = ["--local", "--port", "0", "--rpc-url", url, "--data-dir", data, ...(OPTIONS[name] ?? [])];
    const cli = join(root, "service/src/cli.ts");
    const service = await startProgram([process.execPath, cli, ...args], readyLine);
    atEnd(() => endProgram(service.child));
    const env = { ...flowEnvironment(service.ready), CREC_SIGNER_KEY: randomBytes(32).toString("hex") };
    const nodeRed = await NodeRed.start(await UserDir.make(data), env);
    atEnd(() => nodeRed.stop());
    return runQuickstart(nodeRed);
  }
  // All at once: they mostly wait for blocks.
  const tried = Object.entries(nodes).filter(([name]) => geth !== undefined || !name.startsWith("geth"));
  await Promise.all(tried.map(([name, command]) => trying(name, () => check(name, command))));
});

async function answers(url: string) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] });
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body }).catch(() => undefined);
  return response?.ok === true;
}

/** The anvil of the local service. */
async function anvil() {
  const scope = join(root, "node_modules/@foundry-rs");
  const name = (await readdir(scope)).find((each) => each.startsWith("anvil-"));
  if (name === undefined) throw new Error("there is no anvil; run npm install");
  return join(scope, name, "bin", process.platform === "win32" ? "anvil.exe" : "anvil");
}

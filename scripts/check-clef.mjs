// @ts-check
// npm run check:clef: signs operations with clef, the signer of go-ethereum, and answers its questions as a person would.
// Compiles clef with Go; needs its module proxy the first time. It removes all that it installs.

import { deepStrictEqual as equal, rejects } from "node:assert";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { encryptKeystoreJson, Wallet } from "ethers";
import { remoteSigner, signRequestOf } from "../src/index.ts";
import { signWith } from "../src/signing/index.ts";
import { fail, messageOf } from "./lib/check.mjs";
import { HOST, nextFreePort } from "./lib/ports.mjs";

/** @typedef {{ id?: number, method: string, params: Array<Record<string, unknown>> }} Question */

/** The same as the geth of check:evm-nodes. */
const VERSION = "v1.16.7";
const READY_MS = 30_000;
const PASSWORD = "of a key that is thrown away";

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), "crec-clef-"));
/** What the person at clef says. */
let isApproved = true;
/** @type {string[]} */
const questions = [];
/** @type {import("node:child_process").ChildProcess | undefined} */
let clef;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => void cleanUp().then(() => process.exit(1)));
}

try {
  if (await hasGo()) await check();
} catch (error) {
  fail(`clef does not sign: ${messageOf(error)}`);
} finally {
  await cleanUp();
}

async function check() {
  const env = { ...process.env, GOBIN: folder, GOFLAGS: "" };
  await run("go", ["install", `github.com/ethereum/go-ethereum/cmd/clef@${VERSION}`], {
    env,
    maxBuffer: 2 ** 26,
  });
  const { address: account, privateKey } = Wallet.createRandom();
  const keystore = join(folder, "keystore");
  await mkdir(keystore);
  await writeFile(
    join(keystore, "key.json"),
    await encryptKeystoreJson({ address: account, privateKey }, PASSWORD, { scrypt: { N: 2 } }),
  );
  const url = await start(keystore);

  const transactions = [{ to: account, value: "1", data: "0x1234" }];
  const request = signRequestOf({ id: "1", account, deadline: 0, transactions }, 31337);
  const signer = await remoteSigner({ url, protocol: "json-rpc" });
  try {
    equal([signer.address, questions.splice(0)], [account, ["ui_approveListing"]]);
    const begun = performance.now();
    await signWith(signer, request);
    const tookMs = Math.round(performance.now() - begun);
    equal(questions.splice(0), ["ui_approveSignData", "ui_onInputRequired"]);
    isApproved = false;
    await rejects(signWith(signer, request), { code: "SIGNER_REFUSED" });
    // A refusal ends it: nobody is asked again.
    equal(questions.splice(0), ["ui_approveSignData"]);
    process.stdout.write(`clef ${VERSION}: approved and signed in ${tookMs} ms, and refused.\n`);
  } finally {
    await signer.close();
  }
}

/** @param {string} keystore @returns {Promise<string>} its address, when it listens */
async function start(keystore) {
  const port = String(await nextFreePort(0, HOST));
  const options = {
    configdir: join(folder, "clef"),
    keystore,
    auditlog: "",
    "http.addr": HOST,
    "http.port": port,
  };
  const child = spawn(
    join(folder, process.platform === "win32" ? "clef.exe" : "clef"),
    [
      ...["--suppress-bootwarn", "--stdio-ui", "--http", "--ipcdisable", "--nousb", "--loglevel", "1"],
      ...Object.entries({
        ...options,
        chainid: "31337",
        "4bytedb-custom": join(folder, "4byte.json"),
      }).flatMap(([name, value]) => [`--${name}`, value]),
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  clef = child;
  const ready = new AbortController();
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    /** @type {Question} */
    const { id, method, params } = JSON.parse(line);
    if (method === "ui_onSignerStartup") ready.abort();
    if (id === undefined) return;
    questions.push(method);
    const result = answer(method, params[0] ?? {});
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  });
  const started = once(ready.signal, "abort", { signal: AbortSignal.timeout(READY_MS) });
  await Promise.race([started, once(child, "exit").then(() => Promise.reject(new Error("it ended")))]);
  return `http://${HOST}:${port}`;
}

/** @param {string} method @param {Record<string, unknown>} question */
function answer(method, { accounts }) {
  if (method === "ui_onInputRequired") return { text: PASSWORD };
  if (method === "ui_approveListing") return { accounts };
  return { approved: isApproved };
}

async function hasGo() {
  try {
    await run("go", ["version"]);
    return true;
  } catch {
    const sentence = "clef was not tried: it is compiled, and Go is not installed. See https://go.dev/dl.";
    if (process.env.CI) fail(sentence);
    else process.stdout.write(`${sentence}\n`);
    return false;
  }
}

async function cleanUp() {
  if (clef && clef.exitCode === null && clef.signalCode === null) {
    clef.kill();
    await once(clef, "exit");
  }
  // Files that Go puts there are read-only.
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

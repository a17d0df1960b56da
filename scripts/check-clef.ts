// npm run check:clef: signs operations with clef, the signer of go-ethereum, and answers its questions as a person would.
// No tool tries our signer. Compiles clef with Go; needs its module proxy the first time. Removes all that it installs.
import { deepStrictEqual as equal, rejects } from "node:assert";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { encryptKeystoreJson, Wallet } from "ethers";
import { remoteSigner, signRequestOf } from "../src/index.ts";
import { signWith } from "../src/signing/index.ts";
import { checking, endProgram, notTried, say, startProgram } from "./lib/check.ts";
import { goInstall } from "./lib/installs.ts";
import { HOST, nextFreePort } from "./lib/ports.mjs";

/** The same as the geth of check:evm-nodes. */
const VERSION = "v1.16.7";
const PASSWORD = "of a key that is thrown away";

type Question = { id?: number; method: string; params: Array<Record<string, unknown>> };

await checking("clef", async (folder, atEnd) => {
  const clef = await goInstall(folder, `github.com/ethereum/go-ethereum/cmd/clef@${VERSION}`);
  if (clef === undefined)
    return notTried("clef was not tried: it is compiled, and Go is not installed. See https://go.dev/dl.");
  const { address: account, privateKey } = Wallet.createRandom();
  const keystore = join(folder, "keystore");
  await mkdir(keystore);
  const key = await encryptKeystoreJson({ address: account, privateKey }, PASSWORD, { scrypt: { N: 2 } });
  await writeFile(join(keystore, "key.json"), key);

  /** What the person at clef says. */
  let isApproved = true;
  const questions: string[] = [];
  const answer = ({ method, params: [question = {}] }: Question) => {
    if (method === "ui_onInputRequired") return { text: PASSWORD };
    if (method === "ui_approveListing") return { accounts: question.accounts };
    return { approved: isApproved };
  };
  const port = String(await nextFreePort(0, HOST));
  const options = {
    ...{ configdir: join(folder, "clef"), keystore, auditlog: "", chainid: "31337" },
    ...{ "http.addr": HOST, "http.port": port, "4bytedb-custom": join(folder, "4byte.json") },
  };
  const { child } = await startProgram(
    [
      ...[clef, "--suppress-bootwarn", "--stdio-ui", "--http", "--ipcdisable", "--nousb", "--loglevel", "1"],
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    ],
    (said) => said.includes("ui_onSignerStartup"),
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  atEnd(() => endProgram(child));
  if (child.stdout === null) throw new Error("clef has no output to read");
  createInterface({ input: child.stdout }).on("line", (line) => {
    const question: Question = JSON.parse(line);
    if (question.id === undefined) return;
    questions.push(question.method);
    child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: question.id, result: answer(question) })}\n`);
  });

  const transactions = [{ to: account, value: "1", data: "0x1234" }];
  const request = signRequestOf({ id: "1", account, deadline: 0, transactions }, 31337);
  const signer = await remoteSigner({ url: `http://${HOST}:${port}`, protocol: "json-rpc" });
  atEnd(() => signer.close());
  equal([signer.address, questions.splice(0)], [account, ["ui_approveListing"]]);
  const begun = performance.now();
  await signWith(signer, request);
  const tookMs = Math.round(performance.now() - begun);
  equal(questions.splice(0), ["ui_approveSignData", "ui_onInputRequired"]);
  isApproved = false;
  await rejects(signWith(signer, request), { code: "SIGNER_REFUSED" });
  // A refusal ends it: nobody is asked again.
  equal(questions.splice(0), ["ui_approveSignData"]);
  say(`clef ${VERSION}: approved and signed in ${tookMs} ms, and refused.`);
});

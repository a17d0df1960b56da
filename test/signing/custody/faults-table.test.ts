import { readFile } from "node:fs/promises";
import should from "should";
import {
  awsKmsSigner,
  type CustodySigner,
  fireblocksSigner,
  privySigner,
  remoteSigner,
  vaultSigner,
} from "../../../src/signing/custody/index.ts";
import { generatePrivateKey, localEcdsaSigner, signWith } from "../../../src/signing/index.ts";
import { FireblocksServer } from "../../support/fireblocks.ts";
import { startJsonRpcSigner } from "../../support/json-rpc-signer.ts";
import { ACCESS_KEY, ecdsaKey, type KmsHarm, KmsStandIn, REGION } from "../../support/kms.ts";
import { PrivyServer } from "../../support/privy.ts";
import type { Asked, Fault, StandIn } from "../../support/stand-in.ts";
import { VaultServer } from "../../support/vault.ts";
import { startWeb3Signer } from "../../support/web3signer.ts";
import { request } from "./sample-request.ts";

type KeyService = {
  signer: CustodySigner;
  /** Of the next requests. */
  fail: (faults: Fault[]) => void;
  /** How often it was asked for a signature. */
  asked: () => number;
  close: () => Promise<void>;
};

/** More than the attempts of a request that is not asked until the time-out. */
const FAULTS = 5;
const privateKey = generatePrivateKey();
const { address } = localEcdsaSigner(privateKey);

const onStandIn = (
  signer: CustodySigner,
  server: Pick<StandIn, "faults" | "close"> & { readonly asked: readonly Asked[] },
): KeyService => ({
  signer,
  fail: (faults) => server.faults.splice(0, server.faults.length, ...faults),
  asked: () => server.asked.filter(({ method }) => method === "POST").length,
  close: () => server.close(),
});

const KEY_SERVICES: Readonly<Record<string, () => Promise<KeyService>>> = {
  "AWS KMS": async () => {
    const kms = await KmsStandIn.start();
    kms.keys.set("alias/payments", ecdsaKey());
    const given = {
      keyId: "alias/payments",
      region: REGION,
      endpoint: kms.endpoint,
      credentials: ACCESS_KEY,
    };
    let count = 0;
    const fail = (faults: Fault[]) => {
      const harms = faults.map((fault): KmsHarm => {
        if (typeof fault === "string") return "drop";
        return fault.status === 429 ? { __type: "ThrottlingException" } : { status: fault.status, html: "" };
      });
      kms.harm = (action) => {
        if (action === "Sign") count += 1;
        return harms.shift();
      };
    };
    return { signer: await awsKmsSigner(given), fail, asked: () => count, close: () => kms.close() };
  },
  "Vault, OpenBao": async () => {
    const vault = await VaultServer.start();
    const login = { method: "token", token: "hvs.root-token" } as const;
    return onStandIn(await vaultSigner({ url: vault.url, key: vault.key, keyVersion: 1, login }), vault);
  },
  Fireblocks: async () => {
    const server = await FireblocksServer.start();
    return onStandIn(await fireblocksSigner({ ...server.options, pollMs: 1 }), server);
  },
  Privy: async () => {
    const server = await PrivyServer.start();
    return onStandIn(await privySigner(server.options), server);
  },
  "Web3Signer, REST": async () => {
    const server = await startWeb3Signer([privateKey]);
    return onStandIn(await remoteSigner({ url: server.url, protocol: "eth1-sign" }), server);
  },
  "JSON-RPC": async () => {
    const signature = await localEcdsaSigner(privateKey).sign(request);
    const { standIn } = await startJsonRpcSigner(() => ({ result: signature }));
    return onStandIn(await remoteSigner({ url: standIn.url, protocol: "json-rpc", address }), standIn);
  },
};

const COLUMNS: ReadonlyArray<readonly Fault[]> = [
  [{ status: 429, headers: { "retry-after": "0" }, body: {} }],
  [{ status: 503, headers: { "retry-after": "0" }, body: {} }],
  [{ status: 502, body: "" }, { status: 504, body: "" }, "cut after"],
];

/** The rows of the table after the heading, without their marks. */
async function documented(): Promise<string[][]> {
  const page = await readFile(new URL("../../../docs/custody.md", import.meta.url), "utf8");
  const table =
    page
      .split("## When a key service fails\n")[1]
      ?.split("\n## ")[0]
      ?.match(/^\|.*\|$/gm) ?? [];
  return table.slice(2).map((row) =>
    row
      .replaceAll("**", "")
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe("the table of what becomes of a fault of a key service", function () {
  this.timeout(30_000);
  const { random } = Math;
  // Short pauses.
  before(() => {
    Math.random = () => 0.001;
  });
  after(() => {
    Math.random = random;
  });

  /** What the table says for a fault: whether it is asked until it answers, a few times more, or never again. */
  const outcome = async ({ signer, fail, asked }: KeyService, fault: Fault): Promise<string> => {
    fail(Array.from({ length: FAULTS }, () => fault));
    const before = asked();
    const error = await signWith(signer, request).then(
      () => undefined,
      (thrown: unknown) => thrown as { code: string; retryable: boolean; isAsked: boolean },
    );
    fail([]);
    if (error === undefined) return "asks again until the time-out";
    should(error).have.properties({ code: "SIGNER_UNAVAILABLE", retryable: true });
    const repeats = asked() - before - 1;
    should(error.isAsked).equal(repeats === 0);
    return repeats === 0 ? "does not ask again" : `asks ${repeats} times more`;
  };

  it("has a row for each key service, and says nothing else of it than what it does", async () => {
    const measured: string[][] = [];
    for (const [name, start] of Object.entries(KEY_SERVICES)) {
      const service = await start();
      const cells: string[] = [];
      for (const faults of COLUMNS) {
        const outcomes = new Set<string>();
        for (const fault of faults) outcomes.add(await outcome(service, fault));
        cells.push([...outcomes].join("; "));
      }
      measured.push([name, ...cells]);
      await service.signer.close();
      await service.close();
    }
    const rows = await documented();
    should(rows.map((row) => row.slice(0, -1))).deepEqual(measured);
  });

  it("takes no status that it does not know for a decision", async () => {
    for (const [name, start] of Object.entries(KEY_SERVICES)) {
      const { signer, fail, asked, close } = await start();
      for (const status of [400, 409, 413, 422, 500, 529]) {
        if (name === "JSON-RPC" && status < 500) continue;
        fail([{ status, body: { message: "odd" } }]);
        const before = asked();
        const error = await signWith(signer, request).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        const what = `${name}, ${status}`;
        // KMS says by a name what failed.
        if (name === "AWS KMS" && status >= 500) continue;
        should(error).match({ code: "SIGNER_UNAVAILABLE", retryable: true, isAsked: true }, what);
        should(asked() - before).equal(1, what);
      }
      await signer.close();
      await close();
    }
  });
});

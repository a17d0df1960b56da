import { readFile } from "node:fs/promises";
import should from "should";
import { longestSigning, type SignerKind } from "../../nodes/common/shared/signers.ts";
import type { KeyService } from "../../nodes/signer/key-services.ts";
import { AWS_KMS, FIREBLOCKS, keyServiceOf, PRIVY } from "../../nodes/signer/key-services.ts";
import { valuesOf } from "../../nodes/signer/values.ts";
import * as library from "../../src/index.ts";
import { openKms } from "../../src/signing/custody/aws-kms/index.ts";
import { FireblocksServer } from "../support/fireblocks.ts";
import { startKeyServices } from "../support/key-services.ts";
import { PrivyServer } from "../support/privy.ts";

const request = library.signRequestOf(
  {
    id: "7",
    account: "0x1111111111111111111111111111111111111111",
    deadline: 0,
    transactions: [{ to: "0x2222222222222222222222222222222222222222", value: "1", data: "0x" }],
  },
  31337,
);

describe("what the form sends to be signed", () => {
  async function sign(service: KeyService, settings: Record<string, string>): Promise<void> {
    const signer = await service.open(
      library as never,
      valuesOf((name) => settings[name] ?? ""),
      {},
    );
    try {
      await signer.sign(request);
    } finally {
      await signer.close();
    }
  }

  for (const [sends, operation] of [
    ["", "RAW"],
    ["typed-data", "TYPED_MESSAGE"],
  ] as const) {
    it(`Fireblocks: ${sends || "nothing chosen"}`, async () => {
      const server = await FireblocksServer.start();
      server.states = ["COMPLETED"];
      await sign(FIREBLOCKS, {
        kind: "fireblocks",
        fireblocksUrl: server.url,
        fireblocksApiKey: server.apiKey,
        fireblocksKey: server.privateKey,
        ...server.source,
        fireblocksSends: sends,
      }).finally(() => server.close());
      should(server.transactions[0]?.operation).equal(operation);
    });
  }

  for (const [sends, method] of [
    ["", "secp256k1_sign"],
    ["typed-data", "eth_signTypedData_v4"],
  ] as const) {
    it(`Privy: ${sends || "nothing chosen"}`, async () => {
      const server = await PrivyServer.start();
      await sign(PRIVY, {
        kind: "privy",
        privyUrl: server.url,
        privyAppId: server.appId,
        privyAppSecret: server.appSecret,
        privyWalletId: server.walletId,
        privySends: sends,
      }).finally(() => server.close());
      should(JSON.parse(String(server.asked.at(-1)?.body)).method).equal(method);
    });
  }
});

describe("the address of AWS KMS", () => {
  for (const region of [
    ...["eu-central-1", "us-gov-west-1", "cn-north-1", "cn-northwest-1", "eusc-de-east-1"],
    ...["us-iso-east-1", "us-isob-east-1", "eu-isoe-west-1", "us-isof-south-1"],
  ]) {
    it(`is the one that its requests go to: ${region}`, async () => {
      const credentials = { accessKeyId: "AKIA0000000000000001", secretAccessKey: "hush-hush" };
      const asked: string[] = [];
      const send = async ({ origin }: { origin: string }) => {
        asked.push(origin);
        return { statusCode: 400, headers: {}, body: new Uint8Array() };
      };
      const calls = openKms({ region, endpoint: undefined, credentials, send });
      await should(calls.publicKey("alias/x", new AbortController().signal)).be.rejected();
      const values = valuesOf((name) => ({ kind: "aws-kms", region })[name] ?? "");
      should(asked).deepEqual([AWS_KMS.defaultAddress(values)]);
    });
  }
});

describe("how long a signature may take", () => {
  it("is the same in the form, in the library and in its documentation", async () => {
    const documentation = await readFile(new URL("../../docs/library.md", import.meta.url), "utf8");
    const services = await startKeyServices();
    try {
      for (const { kind, settings, secrets } of services.all) {
        const service = keyServiceOf(kind as SignerKind) as KeyService;
        const values = valuesOf((name) => ({ kind, ...settings, ...secrets })[name] ?? "");
        const signer = await service.open(library as never, values, {});
        await signer.close();
        should(signer.timeoutMs).equal(longestSigning({ kind }) * 1000, kind);
        const row = new RegExp(`^\\| .${kind.replace("aws-k", "awsK")}Signer. .*`, "m").exec(
          documentation,
        )?.[0];
        should(row).endWith(`| ${signer.timeoutMs.toLocaleString("en-US")} |`);
      }
    } finally {
      await services.close();
    }
  });
});

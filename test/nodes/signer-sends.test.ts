import should from "should";
import { FIREBLOCKS } from "../../nodes/signer/kinds/fireblocks.ts";
import type { KeyService } from "../../nodes/signer/kinds/key-service.ts";
import { PRIVY } from "../../nodes/signer/kinds/privy.ts";
import { valuesOf } from "../../nodes/signer/values.ts";
import * as library from "../../src/index.ts";
import { FireblocksServer } from "../support/fireblocks.ts";
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

import should from "should";
import { type PrivySignerOptions, privySigner } from "../../../src/signing/custody/index.ts";
import { recoverSigner, signRequestOf, signWith } from "../../../src/signing/index.ts";
import { PrivyServer } from "../../support/privy.ts";

const operation = {
  id: "7",
  account: "0x1111111111111111111111111111111111111111",
  deadline: "0",
  transactions: [{ to: "0x2222222222222222222222222222222222222222", value: "1", data: "0xa9059cbb" }],
} as const;
const request = signRequestOf(operation, 31337);

describe("a signer of Privy", () => {
  let server: PrivyServer;
  const closing: Array<() => Promise<void>> = [];

  beforeEach(async () => {
    server = await PrivyServer.start();
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await server.close();
  });

  async function signerOf(options: Partial<PrivySignerOptions> = {}) {
    const { url, appId, appSecret, walletId } = server;
    const signer = await privySigner({ url, appId, appSecret, walletId, ...options });
    closing.push(() => signer.close());
    return signer;
  }

  for (const sends of ["digest", "typed-data"] as const) {
    for (const isOwned of [false, true]) {
      it(`signs ${sends} with the key of a wallet ${isOwned ? "with" : "without"} an owner`, async () => {
        server.isOwned = isOwned;
        const authorizationKey = isOwned ? server.authorizationKey : undefined;
        const signer = await signerOf({ sends, authorizationKey });
        should(signer.address).equal(server.address);
        const signature = await signWith(signer, request);
        should(recoverSigner(request.digest, signature)).equal(server.address);
        should(server.problems).be.empty();
      });
    }
  }
});

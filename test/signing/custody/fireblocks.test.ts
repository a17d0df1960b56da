import should from "should";
import type { SigningState } from "../../../src/index.ts";
import { type FireblocksSignerOptions, fireblocksSigner } from "../../../src/signing/custody/index.ts";
import { recoverSigner, signRequestOf, signWith } from "../../../src/signing/index.ts";
import { FireblocksServer } from "../../support/fireblocks.ts";

const operation = {
  id: "7",
  account: "0x1111111111111111111111111111111111111111",
  deadline: "0",
  transactions: [{ to: "0x2222222222222222222222222222222222222222", value: "1", data: "0xa9059cbb" }],
} as const;
const request = signRequestOf(operation, 31337);

describe("a signer of Fireblocks", () => {
  let server: FireblocksServer;
  const closing: Array<() => Promise<void>> = [];

  beforeEach(async () => {
    server = await FireblocksServer.start();
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await server.close();
  });

  async function signerOf(options: Partial<FireblocksSignerOptions> = {}) {
    const { url, apiKey, privateKey, source } = server;
    const signer = await fireblocksSigner({ url, apiKey, privateKey, source, pollMs: 1, ...options });
    closing.push(() => signer.close());
    return signer;
  }

  it("signs", async () => {
    const signer = await signerOf();
    const states: SigningState[] = [];
    const signature = await signWith(signer, request, { onState: (state) => states.push(state) });
    should(recoverSigner(request.digest, signature)).equal(server.address);
    should(server.problems).be.empty();
  });
});

import should from "should";
import { type OpenSigner, SharedSigner } from "../../../nodes/signer/open-signer.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../../src/index.ts";

describe("the signer of a key service that nodes share", () => {
  const opening = () => {
    let closed = 0;
    const signer = localEcdsaSigner(generatePrivateKey());
    const opened: OpenSigner = {
      ...signer,
      sign: (request) => signer.sign(request),
      close: async () => void closed++,
    };
    return { opened, closed: () => closed };
  };
  const notTheKey = [
    ["another address", { address: `0x${"11".repeat(20)}`, publicKey: undefined }],
    ["another RSA key", { address: "", publicKey: { e: "0x010001", n: "0xab" } }],
    ["a text by hand in place of a key", { address: "", publicKey: "0xab" }],
  ] as const;
  for (const [what, pinned] of notTheKey) {
    it(`is closed and refused where the form was shown ${what}`, async () => {
      const { opened, closed } = opening();
      const rsa = { ...opened, publicKey: { e: "0x010001", n: "0xcd" } } as const;
      const shared = new SharedSigner(
        async () => (pinned.publicKey === undefined ? opened : rsa),
        pinned as never,
      );
      await should(shared.get()).be.rejectedWith({ code: "SIGNER_KEY_CHANGED" });
      should(closed()).equal(1);
    });
  }

  it("is closed by a deploy while its key is fetched, and gives no signer to whoever waits", async () => {
    const { opened, closed } = opening();
    const fetched = Promise.withResolvers<OpenSigner>();
    const shared = new SharedSigner(() => fetched.promise, undefined);
    const [one, other] = [shared.get(), shared.get()];
    shared.close();
    fetched.resolve(opened);
    await should(one).be.rejectedWith({ code: "ABORTED" });
    await should(other).be.rejectedWith({ code: "ABORTED" });
    should(closed()).equal(1);
  });
});

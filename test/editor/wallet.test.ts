import should from "should";
import { CrecClient, generatePrivateKey, generateRsaPrivateKey, localRsaSigner } from "../../src/index.ts";
import { useEditor } from "../support/editor.ts";
import type { Form } from "../support/editor-form.ts";
import { connectionNode } from "../support/nodes.ts";
import { signerNode, walletNode } from "../support/operation-nodes.ts";

describe("the form of a wallet", function () {
  this.timeout(120_000);
  const editor = useEditor();
  const problem = (form: Form) => form.root.locator("#node-config-input-signer-problem");

  before(async () => {
    const { ready } = editor().service;
    const rsaKey = await generateRsaPrivateKey();
    const client = new CrecClient({ baseUrl: ready.base_url, apiKey: ready.api_key });
    await client.wallets.createOrFind({
      ...{ name: "wallet of the form", chain_selector: ready.chain_selector, wallet_type: "rsa" },
      ...{ wallet_owner_address: `0x${"1".repeat(40)}` },
      allowed_rsa_signers: [localRsaSigner(rsaKey).publicKey],
    });
    await client.close();
    await editor().openWith([
      connectionNode(ready),
      signerNode(generatePrivateKey(), { id: "by-ecdsa", name: "by ECDSA" }),
      signerNode(undefined, { id: "by-rsa", name: "by RSA", kind: "local-rsa", credentials: { rsaKey } }),
      walletNode(ready, { wallet: "wallet of the form", signer: "by-ecdsa" }),
    ]);
  });

  it("says that the key of the signer does not fit, or that the new wallet needs an owner", async () => {
    const form = await editor().form("wallet");
    await problem(form).getByText("has ECDSA keys, and the wallet is of type rsa, which takes RSA").waitFor();
    await form.field("signer").selectOption("by-rsa");
    await problem(form).waitFor({ state: "hidden" });
    await form.field("wallet").fill("not there yet");
    await form.unfold("For a new wallet");
    await form.field("walletType").selectOption("protected_ecdsa");
    await problem(form).getByText("has RSA keys, and the wallet is of type protected_ecdsa").waitFor();
    await form.field("walletType").selectOption("");
    await problem(form).getByText("An RSA key has no address").waitFor();
    await form.field("owner").fill(`0x${"2".repeat(40)}`);
    await problem(form).waitFor({ state: "hidden" });
    await form.done();
    should((await editor().inPage.stored("wallet")).values).containEql({
      ...{ signer: "by-rsa", wallet: "not there yet", walletType: "", owner: `0x${"2".repeat(40)}` },
    });
  });
});

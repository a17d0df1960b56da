import { constants, generateKeyPairSync, privateEncrypt, randomUUID } from "node:crypto";
import should from "should";
import type { Operation, Wallet } from "../../src/protocol/index.ts";
import { generatePrivateKey, localEcdsaSigner } from "../../src/signing/index.ts";
import { artifact } from "../src/chain/demo/contracts.ts";
import { accountAddress } from "../src/chain/smart-account.ts";
import type { Api } from "./support.ts";
import { useOperations } from "./use-operations.ts";

describe("wallets of the local service", function () {
  this.timeout(120_000);
  const { call, draft, path, sign, signer, submit, started } = useOperations();
  let api: Api;
  let channelId: string;
  let wallet: Wallet;

  before(() => {
    ({ api, channelId, wallet } = started());
  });

  it("are deployed with their signers and EIP-712 domain, and report each status", async () => {
    const { publicActions, createClient, http } = await import("viem");
    const chain = createClient({ transport: http(api.ready.rpc_url) }).extend(publicActions);
    const account = { address: wallet.address as `0x${string}`, abi: artifact("SmartAccount").abi };
    should(
      await chain.readContract({ ...account, functionName: "isSigner", args: [signer.address] }),
    ).be.true();
    should(await chain.readContract({ ...account, functionName: "owner" })).equal(signer.address);
    const { domain } = await chain.getEip712Domain({ address: account.address });
    should(domain).containDeep({
      name: "CLLSmartAccount",
      version: "1",
      chainId: 31337,
      verifyingContract: wallet.address,
    });
    const told = (await api.events(channelId)).filter((event) => event.headers.type === "wallet.status");
    told
      .map((event) => [event.payload.status, event.payload.address])
      .should.eql([
        ["pending", ""],
        ["deploying", ""],
        ["deployed", wallet.address],
      ]);
    should(wallet.configuration).eql({ allowed_signers: [signer.address] });
  });

  it("show their address only after they were deployed", async () => {
    const { SmartAccountFactory } = api.ready.contracts;
    const ask = (body: object) =>
      api.ok<Wallet>("POST", "/wallets", {
        ...{ wallet_owner_address: signer.address, chain_selector: api.ready.chain_selector },
        ...{ wallet_type: "ecdsa", ...body },
      });
    await api.ok("POST", "/local/failures", { kind: "deployment" });
    const { wallet_id } = await ask({ name: "never there" });
    const failed = await api.until<Wallet>(`/wallets/${wallet_id}`, "failed");
    const archived = await api.ok<Wallet>("PATCH", `/wallets/${wallet_id}`, { status: "archived" });
    should([failed.address, archived.address]).eql(["", ""]);
    const address = accountAddress(SmartAccountFactory as `0x${string}`, wallet_id);
    const listed = `/wallets?status=archived&address=${address}`;
    should((await api.ok<{ data: unknown[] }>("GET", listed)).data).be.empty();
  });

  it("keep other members of the configuration unchanged", async () => {
    const own = { policy: { limits: [1, null, "x"] } };
    const { wallet_id, configuration } = await api.ok<Wallet>("POST", "/wallets", {
      ...{ name: "configured", wallet_owner_address: signer.address, wallet_type: "ecdsa" },
      chain_selector: api.ready.chain_selector,
      ...{ configuration: own, allowed_ecdsa_signers: [signer.address] },
    });
    should(configuration).eql({ ...own, allowed_signers: [signer.address] });
    const later = await api.until<Wallet>(`/wallets/${wallet_id}`, "deployed");
    should(later.configuration).eql(configuration);
  });

  it("refuse a configuration that is too large, or has other signers than allowed_ecdsa_signers", async () => {
    const other = localEcdsaSigner(generatePrivateKey());
    const created = (configuration: object) =>
      api.call("POST", "/wallets", {
        ...{ name: randomUUID(), wallet_owner_address: signer.address, wallet_type: "ecdsa" },
        ...{ chain_selector: api.ready.chain_selector, allowed_ecdsa_signers: [signer.address] },
        configuration,
      });
    const large = await created({ note: "x".repeat(16_384) });
    large.should.containDeep({ status: 400, body: { type: "VALIDATION_ERROR" } });
    should(large.body.message).match(/at most 16384 bytes/);
    const contradiction = await created({ allowed_signers: [other.address] });
    should(contradiction.status).equal(400);
    should(contradiction.body.message).match(/allowed_ecdsa_signers name different signers/);
    should((await created({ allowed_signers: [signer.address.toLowerCase()] })).status).equal(201);
  });

  it("accept no operation after they are archived", async () => {
    const created = await api.ok<Wallet>("POST", "/wallets", {
      name: "short-lived",
      wallet_owner_address: signer.address,
      chain_selector: api.ready.chain_selector,
      wallet_type: "ecdsa",
      allowed_ecdsa_signers: [signer.address],
    });
    const taken = await api.call("POST", "/wallets", { ...created, name: "short-lived" });
    taken.should.containDeep({ status: 409, body: { code: "WALLET_ALREADY_EXISTS" } });
    const { address } = await api.until<Wallet>(`/wallets/${created.wallet_id}`, "deployed");
    const archived = await api.ok<Wallet>("PATCH", `/wallets/${created.wallet_id}`, { status: "archived" });
    should(archived).containEql({ status: "archived", address });
    const again = await api.call("PATCH", `/wallets/${created.wallet_id}`, { name: "other" });
    again.should.containDeep({ status: 409, body: { code: "WALLET_ALREADY_ARCHIVED" } });
    const refused = await submit(draft([call("Counter", "increment", [])], { address }));
    refused.should.containDeep({ status: 409, body: { code: "WALLET_ALREADY_ARCHIVED" } });
    const listed = await api.ok<{ data: Wallet[] }>("GET", "/wallets");
    listed.data.map(({ name }) => name).should.not.containEql("short-lived");
  });

  it("accept RSA signatures where they have RSA signers", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const jwk = publicKey.export({ format: "jwk" });
    const hex = (part?: string) => `0x${Buffer.from(part ?? "", "base64url").toString("hex")}`;
    const created = await api.ok<Wallet>("POST", "/wallets", {
      name: "rsa wallet",
      wallet_owner_address: signer.address,
      chain_selector: api.ready.chain_selector,
      wallet_type: "rsa",
      configuration: { allowed_signers: [{ e: hex(jwk.e), n: hex(jwk.n) }] },
    });
    const { address } = await api.until<Wallet>(`/wallets/${created.wallet_id}`, "deployed");
    const operation = draft([call("Counter", "increment", [])], { address });
    const { digest } = await sign(operation);
    const prefix = Buffer.from("3031300d060960864801650304020105000420", "hex");
    const sealed = privateEncrypt(
      { key: privateKey, padding: constants.RSA_PKCS1_PADDING },
      Buffer.concat([prefix, Buffer.from(digest.slice(2), "hex")]),
    );
    const submitPath = `/channels/${channelId}/operations`;
    const forged = { ...operation, signature: `0x${Buffer.from(sealed).reverse().toString("hex")}` };
    should((await api.call("POST", submitPath, forged)).status).equal(400);
    const signed = { ...operation, signature: `0x${sealed.toString("hex")}` };
    const accepted = await api.ok<Operation>("POST", submitPath, signed);
    await api.until(path(accepted), "confirmed_latest", "confirmed_safe", "confirmed");
  });
});

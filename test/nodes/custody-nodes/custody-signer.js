/** How often it looks whether a person has decided. */
const POLL_MS = 100;

/** @param {import("node-red").NodeAPI} RED */
module.exports = (RED) => {
  /** In the place of a `crec-signer` whose key is in custody: asks `test/support/custodian.ts` by HTTP. */
  function CustodySigner(/** @type {import("node-red").NodeDef & Record<string, any>} */ def) {
    RED.nodes.createNode(this, def);
    const { url, address, timeoutMs } = def;
    const signer = {
      kind: "ecdsa",
      address,
      timeoutMs,
      sign: ({ digest }, options) => sign(url, digest, options),
    };
    this.signer = { problem: undefined, custodian: "Custodian", signer: async () => signer };
  }
  RED.nodes.registerType("custody-signer", CustodySigner);
};

async function sign(url, digest, { signal, onState }) {
  // biome-ignore lint/plugin: a signer that asks again, as real ones do
  for (let method = "POST"; ; method = "GET") {
    const response = await fetch(`${url}/signatures/${digest}`, { method, signal });
    const { state, signature } = await response.json();
    if (signature) return signature;
    if (state === "REJECTED") {
      const message = "A person refused the signature. Nothing was submitted. Ask the person who approves.";
      throw Object.assign(new Error(message), { code: "SIGNER_REFUSED" });
    }
    onState({ state, isForPerson: state === "PENDING_AUTHORIZATION" });
    // biome-ignore lint/plugin: as above
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    signal.throwIfAborted();
  }
}

import type { NodeAPI } from "node-red";
import type { SignerNode } from "../config-nodes.ts";
import { toCodedError } from "../errors.ts";
import type { NewKey } from "../form-types.ts";
import { loadLibrary } from "../library.ts";

/**
 * `POST /crec/signer/generate`: a new key for the form to keep until it is deployed into the credentials.
 * `POST /crec/signer/address`: the address of a key that was typed in.
 * `GET /crec/signer/address/:id`: the address of a deployed signer. A stored key itself is never answered.
 */
export function registerSignerKeys(RED: NodeAPI): void {
  const permitted = RED.auth.needsPermission("crec.write");
  RED.httpAdmin.post("/crec/signer/generate", permitted, (_request, response) => {
    loadLibrary()
      .then(({ generatePrivateKey, localEcdsaSigner }) => {
        const privateKey = generatePrivateKey();
        response.json({ privateKey, address: localEcdsaSigner(privateKey).address } satisfies NewKey);
      })
      .catch((thrown: unknown) => response.status(500).json({ message: toCodedError(thrown).message }));
  });
  RED.httpAdmin.post("/crec/signer/address", permitted, (request, response) => {
    const { privateKey } = (request.body ?? {}) as { privateKey?: unknown };
    const typed = typeof privateKey === "string" ? privateKey : "";
    loadLibrary()
      .then(({ localEcdsaSigner }) => response.json({ address: localEcdsaSigner(typed).address }))
      .catch((thrown: unknown) => response.status(400).json({ message: toCodedError(thrown).message }));
  });
  RED.httpAdmin.get(
    "/crec/signer/address/:id",
    RED.auth.needsPermission("crec.read"),
    (request, response) => {
      const { id } = request.params as { id: string };
      Promise.resolve((RED.nodes.getNode(id) as Partial<SignerNode> | null)?.signer?.signer())
        .then((signer) => response.json({ address: signer?.address ?? "" }))
        .catch(() => response.json({ address: "" }));
    },
  );
}

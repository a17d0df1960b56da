import type { NodeAPI } from "node-red";
import { toCodedError } from "../errors.ts";
import type { NewKey } from "../form-types.ts";
import { loadLibrary } from "../library.ts";

/**
 * `POST /crec/signer/generate`: a new key for the form to keep until it is deployed into the credentials.
 * `POST /crec/signer/address`: whose key was typed in. Neither ever reads a stored key.
 */
export function registerSignerKeys(RED: NodeAPI): void {
  const permitted = RED.auth.needsPermission("crec.write");
  RED.httpAdmin.post("/crec/signer/generate", permitted, (_request, response) => {
    loadLibrary().then(({ generatePrivateKey, localEcdsaSigner }) => {
      const privateKey = generatePrivateKey();
      response.json({ privateKey, address: localEcdsaSigner(privateKey).address ?? "" } satisfies NewKey);
    });
  });
  RED.httpAdmin.post("/crec/signer/address", permitted, (request, response) => {
    const { privateKey } = request.body as { privateKey?: unknown };
    loadLibrary()
      .then(({ localEcdsaSigner }) =>
        response.json({ address: localEcdsaSigner(String(privateKey)).address }),
      )
      .catch((thrown: unknown) => response.status(400).json({ message: toCodedError(thrown).message }));
  });
}

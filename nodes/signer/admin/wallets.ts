import type { NodeAPI } from "node-red";
import type { CrecClient, RsaPublicKey, Wallet } from "../../../src/index.ts";
import { answerForms, fieldsOf, textIn } from "../../common/admin/answer.ts";
import { deployedVariable, requireVariable } from "../../common/admin/deployed.ts";
import { sharedAnswers } from "../../common/admin/shared-answers.ts";
import type { NodeRedContext } from "../../common/context.ts";
import type { ConnectionNode } from "../../common/fields/config-nodes.ts";
import { messageOf, nodeError } from "../../common/shared/errors.ts";
import { ADDRESS } from "../../common/shared/field-checks.ts";
import type { SignerKey, WalletAnswer, WalletAnswers } from "../../common/shared/form-types.ts";
import { isReference } from "../../common/shared/variables.ts";
import { isSameRsaKey } from "../open-signer.ts";

const MOST_WALLETS = 20;
/** A person waits. */
const LONGEST_MS = 10_000;

/** `POST /crec/signer/wallets`: whether wallets of the service name the key of a form among their signers. */
export function registerWalletCheck(context: NodeRedContext): void {
  const shared = sharedAnswers<WalletAnswers>(context.RED, ({ wallets }) =>
    wallets.every(({ state }) => state !== "unknown"),
  );
  answerForms(context.RED, "post", "/crec/signer/wallets", "crec.read", ({ body }) => {
    const { key, wallets } = fieldsOf(body);
    const asked = Array.isArray(wallets) ? wallets.slice(0, MOST_WALLETS).map(questionIn) : [];
    return shared(JSON.stringify([keyIn(key), asked]), async () => {
      const signal = AbortSignal.timeout(LONGEST_MS);
      return { wallets: await Promise.all(asked.map((one) => answerFor(context, keyIn(key), one, signal))) };
    });
  });
}

type Asked = { id: string; connection: string; wallet: string };

/** Only what is looked at: the rest of a request does not make it another question. */
function questionIn(given: unknown): Asked {
  const { id, connection, wallet } = fieldsOf(given);
  return { id: textIn(id), connection: textIn(connection), wallet: textIn(wallet) };
}

async function answerFor(
  context: NodeRedContext,
  key: SignerKey,
  { id, connection, wallet: written }: Asked,
  signal: AbortSignal,
): Promise<WalletAnswer> {
  try {
    const client = await clientOf(context.RED.nodes, connection);
    const nameOrAddress = isReference(written)
      ? requireVariable(deployedVariable(context.RED, id, "wallet", written), written)
      : written;
    const wallet = await findWallet(client, nameOrAddress, signal);
    if (wallet === undefined) {
      throw nodeError(
        "WALLET_NOT_FOUND",
        "The service has no such wallet for this API key. Check its name or address, and the key; else create it first.",
      );
    }
    return { id, state: isNamed(wallet, key) ? "allowed" : "refused" };
  } catch (thrown) {
    return { id, state: "unknown", why: messageOf(thrown) };
  }
}

/** @throws DEPLOY_FIRST, or the problem of the connection */
async function clientOf(nodes: NodeAPI["nodes"], id: string): Promise<CrecClient> {
  const { connection } = (nodes.getNode(id) ?? {}) as Partial<ConnectionNode>;
  if (connection === undefined) {
    throw nodeError(
      "DEPLOY_FIRST",
      "The wallet's connection is not deployed yet. Deploy it, then try again.",
    );
  }
  return connection.client();
}

async function findWallet(
  client: CrecClient,
  nameOrAddress: string,
  signal: AbortSignal,
): Promise<Wallet | undefined> {
  if (!ADDRESS.test(nameOrAddress))
    return (await client.wallets.findByName(nameOrAddress, { signal })) ?? undefined;
  for await (const wallet of client.wallets.list({ limit: 100 }, { signal })) {
    if (wallet.address?.toLowerCase() === nameOrAddress.toLowerCase()) return wallet;
  }
  return undefined;
}

function isNamed(wallet: Wallet, { address, publicKey }: SignerKey): boolean {
  if (publicKey) return (wallet.allowed_rsa_signers ?? []).some((one) => isSameRsaKey(one, publicKey));
  return (wallet.allowed_ecdsa_signers ?? []).some((one) => one.toLowerCase() === address.toLowerCase());
}

function keyIn(given: unknown): SignerKey {
  const { address, publicKey } = fieldsOf(given);
  const { e, n } = fieldsOf(publicKey);
  const isRsa = textIn(n) !== "";
  return {
    address: textIn(address),
    ...(isRsa ? { publicKey: { e: textIn(e), n: textIn(n) } as RsaPublicKey } : {}),
  };
}

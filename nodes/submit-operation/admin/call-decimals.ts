import type { CrecClient } from "../../../src/index.ts";
import { isUuid } from "../../../src/protocol/ids.ts";
import { answerForms, fieldsOf, invalidRequest, textIn } from "../../common/admin/answer.ts";
import type { NodeRedContext } from "../../common/context.ts";
import { decimalsOfCall } from "../../common/contracts/call-decimals.ts";
import { contractRegistry } from "../../common/contracts/contract-registry.ts";
import { channelOf } from "../../common/fields/config-nodes.ts";
import { loadLibrary } from "../../common/library.ts";
import { nodeError } from "../../common/shared/errors.ts";
import type { ToldDecimals } from "../preview-types.ts";

const LOOKUP_MS = 10_000;
/** The query itself ends sooner, with a sentence. */
const ASK_MS = 40_000;

/**
 * `POST /crec/operation/decimals`: the decimals of a token as the node knows them, by one query in its channel where no
 * contract node has them. What is proven is remembered, and the next preview shows it.
 */
export function registerCallDecimals(context: NodeRedContext): void {
  answerForms(
    context.RED,
    "post",
    "/crec/operation/decimals",
    "crec.write",
    async ({ body }): Promise<ToldDecimals> => {
      const question = fieldsOf(body);
      const chainSelector = textIn(question.chainSelector);
      if (!/^\d+$/.test(chainSelector)) invalidRequest("chainSelector must be digits.");
      const to = (await loadLibrary()).checksumAddress(textIn(question.address), "The address");
      const id = textIn(question.channel);
      if (!context.RED.nodes.getNode(id)) {
        throw nodeError(
          "DEPLOY_FIRST",
          `The decimals of ${to} are asked in the channel of the node, which is not deployed yet. Choose a channel, deploy, then try again.`,
        );
      }
      const channel = channelOf(context.RED.nodes, id);
      const connection = channel.connection();
      const client = await connection.client();
      const channelId = await existing(client, channel.label);
      const call = { chainSelector, to, data: textIn(question.data), what: "The call has amounts in tokens" };
      const signal = AbortSignal.timeout(ASK_MS);
      return {
        decimals: await decimalsOfCall(contractRegistry(context.RED), call, {
          connection,
          client,
          channelId,
          signal,
        }),
      };
    },
  );
}

/** A node may create its channel; a form must not change the account. @throws CHANNEL_NOT_FOUND */
async function existing(client: CrecClient, label: string): Promise<string> {
  if (isUuid(label)) return label;
  const found = await client.channels.findByName(label, { signal: AbortSignal.timeout(LOOKUP_MS) });
  if (found) return found.channel_id;
  const message = `There is no channel named "${label}" yet, and a form creates none. Create it, for example with the node manage, then try again.`;
  throw nodeError("CHANNEL_NOT_FOUND", message);
}

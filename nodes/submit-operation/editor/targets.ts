import type { EditedNode } from "../../common/editor/api.ts";
import { postJson, requestFailure } from "../../common/editor/lookups/admin-requests.ts";
import { contractExists } from "../../common/editor/lookups/read-contract.ts";
import { ADDRESS } from "../../common/shared/field-checks.ts";
import type { Answer, OnChain } from "../../common/shared/form-types.ts";
import type { PreviewedCall, ToldDecimals, WalletText } from "../preview-types.ts";

/**
 * Warns in each previewed call whose target has no contract: such a call does not fail, it does nothing. `items` has an
 * element for each call.
 */
export async function warnOfTargets(
  node: EditedNode,
  items: JQuery,
  calls: readonly PreviewedCall[],
  { id = "", connection = "", chainSelector = "" }: WalletText,
): Promise<void> {
  const asked = new Map<string, Promise<Answer<OnChain>>>();
  const text = (key: string, values: Record<string, unknown>) =>
    node._(`submit-operation.preview.${key}`, values);
  let unchecked = "";
  await Promise.all(
    calls.map(async (call, index) => {
      const address = targetOf(call);
      if (address === undefined) return;
      const answer = asked.get(address) ?? contractExists(node, { id, connection, chainSelector, address });
      asked.set(address, answer);
      const { problem, ...found } = await answer;
      if (problem !== undefined) unchecked = problem;
      else if ("isContract" in found && found.isContract === false) {
        say(items.eq(index), "error", text("no-contract", { network: found.network }));
      }
    }),
  );
  if (unchecked) say(items.last(), "warning", text("not-checked", { problem: unchecked }));
}

/**
 * Asks the tokens whose decimals are known by nobody else, each once, and says in the previewed calls why one has not told
 * them. Gives whether one has told them now, so that another preview shows more.
 *
 * @param asked by this preview and those before it
 */
export async function askDecimals(
  node: EditedNode,
  items: JQuery,
  calls: readonly PreviewedCall[],
  { channel, asked }: { channel: string | undefined; asked: Map<string, Promise<Answer<ToldDecimals>>> },
): Promise<boolean> {
  let isTold = false;
  await Promise.all(
    calls.map(async ({ asks }, index) => {
      if (!asks) return;
      const before = asked.get(asks.address);
      const asking =
        before ??
        postJson<ToldDecimals>("crec/operation/decimals", { ...asks, channel }).catch((failure: unknown) => ({
          ...{ problem: requestFailure(node, failure, "crec.write"), code: "UNANSWERED" },
        }));
      asked.set(asks.address, asking);
      const { problem } = await asking;
      if (problem !== undefined) say(items.eq(index), "error", problem);
      else if (!before) isTold = true;
    }),
  );
  return isTold;
}

/** Adds a sentence to a previewed call. */
export function say(item: JQuery, tone: "warning" | "error", sentence: string): void {
  $('<div role="status">').css("color", `var(--red-ui-text-color-${tone})`).text(sentence).appendTo(item);
}

/** A plain payment needs no contract; what is known later or is wrong cannot be asked. */
function targetOf({ to, data, signature, problem }: PreviewedCall): string | undefined {
  const isPayment = !signature && data?.text === "0x";
  return isPayment || problem || to.later || to.problem || !ADDRESS.test(to.text) ? undefined : to.text;
}

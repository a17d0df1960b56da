import { placeOf, signedPartOf, type Truth } from "./truth.ts";

/** A message as it left a node. */
export type Left = {
  payload: Record<string, unknown>;
  crec: {
    dedupeKey?: string;
    walletOperationId?: string;
    verification?: { verified: boolean };
    [property: string]: unknown;
  };
  error?: { code?: string };
};

type AllLeft = { verified: readonly Left[]; statuses: readonly Left[]; reached: readonly Left[] };

/** Everything that left as proven and is not true, and every operation without a true event of its own. */
export function violationsOf({ verified, statuses, reached }: AllLeft, truth: Truth): string[] {
  const values = new Set(truth.transfers.values());
  return [
    ...verified.flatMap((one) => ofEvent(one, truth)),
    ...statuses
      .filter(({ payload }) => !truth.statuses.has(signedPartOf(payload)))
      .map(({ payload }) => `a forged status left: ${JSON.stringify(payload)}`),
    ...reached
      .filter(
        ({ crec }) => crec.verification?.verified && !truth.executedIds.has(crec.walletOperationId ?? ""),
      )
      .map(({ crec }) => `an operation was reported that was not executed: ${crec.walletOperationId}`),
    ...truth.executed
      .filter((amount, at) => truth.executed.indexOf(amount) !== at)
      .map((amount) => `an event was acted on twice: ${amount}`),
    ...truth.executed
      .filter((amount) => !values.has(amount))
      .map((amount) => `an operation was executed for no true event: ${amount}`),
    ...truth.requested
      .filter((amount) => !values.has(amount))
      .map((amount) => `an operation was submitted for no true event: ${amount}`),
  ];
}

function ofEvent({ payload, crec }: Left, { events, final, transfers }: Truth): string[] {
  const key = crec.dedupeKey ?? "";
  const { params, transactionHash, logIndex } = payload as {
    params?: Record<string, string>;
  } & Left["payload"];
  const found: string[] = [];
  if (crec.verification?.verified !== true) found.push(`an event left without a proof: ${key}`);
  if (events.get(key) !== signedPartOf(payload))
    found.push(`a forged event left: ${JSON.stringify(payload)}`);
  if (!final.has(key)) found.push(`an event left that is not final: ${key}`);
  const onChain = transfers.get(placeOf(String(transactionHash), Number(logIndex)));
  if (onChain === undefined || onChain !== params?.value)
    found.push(`the chain has no such transfer: ${key}`);
  return found;
}

import { placeKey } from "../answer-cache.ts";
import type { Check } from "../check.ts";
import { deployedContracts } from "../deployed-contracts.ts";

/** There is no code at the address of a contract, as the service has said when it was asked. */
export const contractMissing: Check = {
  name: "contract-missing",
  find: ({ RED, flows, asked }) =>
    deployedContracts(RED, flows).flatMap(({ node, contract: { chainSelector, address }, connection }) => {
      const answer = asked.contracts.get(placeKey(connection.baseUrl, chainSelector, address));
      if (answer?.value !== false) return [];
      const origin = flows.originOf(node);
      const values = { contract: origin.label, address };
      const buttons = [{ kind: "refresh" } as const];
      return [{ case: "no-code", severity: "error" as const, origin, detail: address, values, buttons }];
    }),
};

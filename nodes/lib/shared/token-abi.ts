type Function = { signature: string };
type Event = { signature: string; inputs: ReadonlyArray<{ indexed?: boolean }> };

/**
 * Whether a contract with these functions and events has amounts with decimals, as an ERC-20 token does. The Transfer
 * event of an ERC-721 has the same signature, with a token id as its third topic.
 */
export function looksLikeToken(functions: readonly Function[], events: readonly Event[]): boolean {
  return (
    functions.some(({ signature }) => signature === "decimals()") ||
    events.some(
      ({ signature, inputs }) =>
        signature === "Transfer(address,address,uint256)" && inputs[2]?.indexed !== true,
    )
  );
}

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

/** The functions of an ERC-20 token that take or give amounts of this token, and of no other. */
const TOKEN_CALLS: ReadonlySet<string> = new Set([
  "0xa9059cbb", // transfer(address,uint256)
  "0x23b872dd", // transferFrom(address,address,uint256)
  "0x095ea7b3", // approve(address,uint256)
  "0x39509351", // increaseAllowance(address,uint256)
  "0xa457c2d7", // decreaseAllowance(address,uint256)
  "0x70a08231", // balanceOf(address)
  "0xdd62ed3e", // allowance(address,address)
  "0x18160ddd", // totalSupply()
]);

/** Whether call data, or its first four bytes, is a call of such a function. */
export function isTokenCall(data = ""): boolean {
  return TOKEN_CALLS.has(data.slice(0, 10).toLowerCase());
}

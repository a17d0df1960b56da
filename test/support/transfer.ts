const input = (name: string, type: string, indexed: boolean) => ({ name, type, internalType: type, indexed });

/** The event of a token, as a watcher is created with it. */
export const TRANSFER = {
  type: "event",
  name: "Transfer",
  anonymous: false,
  inputs: [input("from", "address", true), input("to", "address", true), input("value", "uint256", false)],
} as const;

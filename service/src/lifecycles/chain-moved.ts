/** The chain replaced blocks while they were read. */
export class ChainMoved extends Error {
  override readonly name = "ChainMoved";
  constructor() {
    super("the chain replaced blocks while they were read; reading them again");
  }
}

/** An address of the chain. Only the library can check its checksum. */
export { ADDRESS_PATTERN as ADDRESS } from "../../../src/protocol/ids.ts";

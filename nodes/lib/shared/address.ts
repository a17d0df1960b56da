/** An address of the chain. Whether its checksum is right only the library can tell. */
export const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

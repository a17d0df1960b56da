/** The network of the local service: a development chain, which no public service has. */
export const LOCAL_NETWORK = "7759470850252068959";

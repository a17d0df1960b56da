/** One spelling for each address, so that two can be compared; what is not an address stays as it is. */
export function canonicalUrl(address: string): string {
  return URL.canParse(address) ? new URL(address).href.replace(/\/+$/, "") : address;
}

/** One spelling for each address, so that two can be compared. Other text is not changed. */
export function canonicalUrl(address: string): string {
  return URL.canParse(address) ? new URL(address).href.replace(/\/+$/, "") : address;
}

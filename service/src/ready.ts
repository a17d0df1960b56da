/** Everything needed to use a running service. */
export type ReadyInfo = {
  base_url: string;
  graphql_url: string;
  api_key: string;
  org_id: string;
  workflow_owner: string;
  cre_tenant_id: string;
  valid_signers: string[];
  min_required_signatures: number;
  rpc_url: string;
  chain_selector: string;
  chain_id: string;
  contracts: Record<string, string>;
};

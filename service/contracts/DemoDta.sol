// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Requests for shares of a fund, to see the events of a digital transfer agent. It has the functions and events of the
/// public contracts (version 2) that a request needs, both in one contract, and a simple behaviour of its own: there are no
/// tokens, one fund, which is paid in US dollars outside the chain, and every distributor is known. Requests for other funds
/// are taken too. One share costs 1.
contract DemoDta {
    enum RequestType { None, Subscription, Redemption }
    enum RequestStatus { None, Pending, Processing, Processed, Canceled, Failed }

    struct DistributorRequest {
        uint256 shares;
        uint256 amount;
        bytes32 fundTokenId;
        bytes32 referenceID;
        address fundAdminAddr;
        address distributorAddr;
        uint40 createdAt;
        RequestType requestType;
        RequestStatus status;
    }

    struct DTAPayment {
        uint8 offChainPaymentCurrency;
        address paymentTokenSourceAddr;
        address paymentTokenDestAddr;
    }

    struct FundTokenData {
        address fundTokenAddr;
        uint8 navFeedDecimals;
        uint8 purchaseTokenRoundingDecimals;
        uint8 purchaseTokenDecimals;
        uint8 fundRoundingDecimals;
        uint8 fundTokenDecimals;
        uint8 requestsPerDay;
        address navAddr;
        uint64 tokenChainSelector;
        address dtaRequestSettlementAddr;
        int24 timezoneOffsetSecs;
        uint24 navTTL;
        DTAPayment paymentInfo;
    }

    /// The owner's fund.
    bytes32 private constant FUND = "demo fund";
    uint8 private constant DECIMALS = 18;
    /// The number of USD among the currencies of the public contracts.
    uint8 private constant CURRENCY = 147;

    address public owner;
    uint64 private immutable chainSelector;
    uint256 private count;
    mapping(bytes32 requestId => DistributorRequest) private requests;

    event SubscriptionRequested(
        address indexed fundAdminAddr,
        bytes32 indexed fundTokenId,
        address indexed distributorAddr,
        bytes32 referenceID,
        bytes32 requestId,
        uint256 amount,
        uint40 createdAt
    );
    event RedemptionRequested(
        address indexed fundAdminAddr,
        bytes32 indexed fundTokenId,
        address indexed distributorAddr,
        bytes32 referenceID,
        bytes32 requestId,
        uint256 shares,
        uint40 createdAt
    );
    event DistributorRequestProcessing(
        address indexed fundAdminAddr,
        bytes32 indexed fundTokenId,
        address indexed distributorAddr,
        bytes32 requestId,
        uint256 shares,
        uint256 amount
    );
    event DistributorRequestProcessed(bytes32 requestId, uint256 shares, RequestStatus status, bytes error);
    event DistributorRequestCanceled(
        address indexed fundAdminAddr, bytes32 indexed fundTokenId, address indexed distributorAddr, bytes32 requestId
    );
    event DTASettlementOpened(
        address indexed fundAdminAddr,
        bytes32 indexed fundTokenId,
        RequestType indexed requestType,
        address distributorAddr,
        uint64 dtaChainSelector,
        address dtaAddr,
        bytes32 requestId,
        address distributorWalletAddr,
        uint256 shares,
        uint256 amount,
        uint8 currency
    );
    event DTASettlementClosed(
        address indexed fundAdminAddr,
        bytes32 indexed fundTokenId,
        RequestType indexed requestType,
        address distributorAddr,
        uint64 dtaChainSelector,
        address dtaAddr,
        bytes32 requestId,
        bool success,
        bytes err
    );

    error InvalidRequest(bytes32 requestId);
    error CancelNotAllowed(bytes32 requestId, RequestStatus requestStatus);
    error RequestNotInStatus(bytes32 requestId, RequestStatus expectedStatus, RequestStatus actualStatus);
    error UnauthorizedSender();

    constructor(uint64 selector) {
        owner = msg.sender;
        chainSelector = selector;
    }

    function requestSubscription(address fundAdminAddr, bytes32 fundTokenId, uint256 amount, bytes32 referenceID)
        external
        returns (bytes32 requestId)
    {
        requestId = open(fundAdminAddr, fundTokenId, referenceID, RequestType.Subscription, amount);
        emit SubscriptionRequested(
            fundAdminAddr, fundTokenId, msg.sender, referenceID, requestId, amount, uint40(block.timestamp)
        );
    }

    function requestRedemption(address fundAdminAddr, bytes32 fundTokenId, uint256 shares, bytes32 referenceID)
        external
        returns (bytes32 requestId)
    {
        requestId = open(fundAdminAddr, fundTokenId, referenceID, RequestType.Redemption, shares);
        emit RedemptionRequested(
            fundAdminAddr, fundTokenId, msg.sender, referenceID, requestId, shares, uint40(block.timestamp)
        );
    }

    function cancelDistributorRequest(bytes32 requestId) external {
        DistributorRequest storage request = known(requestId);
        if (msg.sender != request.distributorAddr && msg.sender != owner) revert UnauthorizedSender();
        if (request.status != RequestStatus.Pending) revert CancelNotAllowed(requestId, request.status);
        request.status = RequestStatus.Canceled;
        emit DistributorRequestCanceled(
            request.fundAdminAddr, request.fundTokenId, request.distributorAddr, requestId
        );
    }

    function processDistributorRequest(bytes32 requestId) external {
        DistributorRequest storage request = known(requestId);
        check(request, requestId, RequestStatus.Pending);
        request.status = RequestStatus.Processing;
        emit DistributorRequestProcessing(
            request.fundAdminAddr,
            request.fundTokenId,
            request.distributorAddr,
            requestId,
            request.shares,
            request.amount
        );
        emit DTASettlementOpened(
            request.fundAdminAddr,
            request.fundTokenId,
            request.requestType,
            request.distributorAddr,
            chainSelector,
            address(this),
            requestId,
            request.distributorAddr,
            request.shares,
            request.amount,
            CURRENCY
        );
    }

    function completeRequestProcessing(bytes32 requestId, bool success, bytes calldata err, bool) external {
        DistributorRequest storage request = known(requestId);
        check(request, requestId, RequestStatus.Processing);
        request.status = success ? RequestStatus.Processed : RequestStatus.Failed;
        emit DTASettlementClosed(
            request.fundAdminAddr,
            request.fundTokenId,
            request.requestType,
            request.distributorAddr,
            chainSelector,
            address(this),
            requestId,
            success,
            err
        );
        emit DistributorRequestProcessed(requestId, request.shares, request.status, err);
    }

    function getDistributorRequest(bytes32 requestId) external view returns (DistributorRequest memory) {
        return requests[requestId];
    }

    /// Only the owner's fund is enabled; of others there is nothing.
    function getFundToken(address fundAdminAddr, bytes32 fundTokenId)
        external
        view
        returns (bool enabled, FundTokenData memory data)
    {
        enabled = fundAdminAddr == owner && fundTokenId == FUND;
        if (!enabled) return (enabled, data);
        data.navFeedDecimals = DECIMALS;
        data.purchaseTokenRoundingDecimals = 2;
        data.purchaseTokenDecimals = DECIMALS;
        data.fundRoundingDecimals = 2;
        data.fundTokenDecimals = DECIMALS;
        data.tokenChainSelector = chainSelector;
        data.dtaRequestSettlementAddr = address(this);
        data.navTTL = 1 days;
        data.paymentInfo.offChainPaymentCurrency = CURRENCY;
    }

    function open(address fundAdmin, bytes32 fund, bytes32 referenceID, RequestType kind, uint256 amount)
        private
        returns (bytes32 requestId)
    {
        count += 1;
        requestId = keccak256(abi.encode(address(this), count));
        requests[requestId] = DistributorRequest(
            amount, amount, fund, referenceID, fundAdmin, msg.sender, uint40(block.timestamp), kind, RequestStatus.Pending
        );
    }

    /// The fund's administrator processes requests, and the owner, so that the demo works with one account.
    function check(DistributorRequest storage request, bytes32 requestId, RequestStatus expected) private view {
        if (msg.sender != request.fundAdminAddr && msg.sender != owner) revert UnauthorizedSender();
        if (request.status != expected) revert RequestNotInStatus(requestId, expected, request.status);
    }

    function known(bytes32 requestId) private view returns (DistributorRequest storage request) {
        request = requests[requestId];
        if (request.status == RequestStatus.None) revert InvalidRequest(requestId);
    }
}

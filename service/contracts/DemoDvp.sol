// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Delivery versus payment on one chain, to see the events of a settlement. It has the functions and events of the public
/// coordinator of this kind that a settlement needs, and a simple behaviour of its own: tokens are moved only where their
/// addresses are set, by `transferFrom`, and an exchange or a cancellation is complete at once.
contract DemoDvp {
    enum Status { New, Open, Accepted, Closing, Settled, Canceled }

    struct PartyInfo {
        address buyerSourceAddress;
        address buyerDestinationAddress;
        address sellerSourceAddress;
        address sellerDestinationAddress;
        address executorAddress;
    }

    struct TokenInfo {
        address paymentTokenSourceAddress;
        address paymentTokenDestinationAddress;
        address assetTokenSourceAddress;
        address assetTokenDestinationAddress;
        uint256 paymentTokenAmount;
        uint256 assetTokenAmount;
        uint8 paymentCurrency;
        uint8 paymentLockType;
        uint8 assetLockType;
    }

    struct DeliveryInfo {
        uint64 paymentSourceChainSelector;
        uint64 paymentDestinationChainSelector;
        uint64 assetSourceChainSelector;
        uint64 assetDestinationChainSelector;
    }

    struct Settlement {
        uint256 settlementId;
        PartyInfo partyInfo;
        TokenInfo tokenInfo;
        DeliveryInfo deliveryInfo;
        bytes32 secretHash;
        uint48 executeAfter;
        uint48 expiration;
        uint32 ccipCallbackGasLimit;
        bytes data;
    }

    address public owner;
    mapping(bytes32 settlementHash => Status) public getSettlementStatus;
    mapping(bytes32 settlementHash => address) private proposer;
    mapping(bytes32 settlementHash => Settlement) private settlements;

    event SettlementOpened(uint256 indexed settlementId, bytes32 indexed settlementHash);
    event SettlementAccepted(uint256 indexed settlementId, bytes32 indexed settlementHash);
    event SettlementClosing(uint256 indexed settlementId, bytes32 indexed settlementHash);
    event SettlementSettled(uint256 indexed settlementId, bytes32 indexed settlementHash);
    event SettlementCanceling(uint256 indexed settlementId, bytes32 indexed settlementHash);
    event SettlementCanceled(uint256 indexed settlementId, bytes32 indexed settlementHash);

    error CannotCancel();
    error CannotSettle();
    error Expired();
    error InvalidSettlement();
    error NotFound();
    error TooEarly();
    error Unauthorized();
    error SafeERC20FailedOperation(address token);

    constructor() {
        owner = msg.sender;
    }

    function proposeSettlement(Settlement calldata settlement) external {
        PartyInfo calldata party = settlement.partyInfo;
        if (!isEither(party.buyerSourceAddress, party.sellerSourceAddress)) revert Unauthorized();
        bytes32 settlementHash = getSettlementHash(settlement);
        if (getSettlementStatus[settlementHash] != Status.New) revert InvalidSettlement();
        if (isPast(settlement.expiration)) revert Expired();
        settlements[settlementHash] = settlement;
        proposer[settlementHash] = msg.sender;
        getSettlementStatus[settlementHash] = Status.Open;
        emit SettlementOpened(settlement.settlementId, settlementHash);
    }

    /// The party that did not propose it accepts. The owner may do what each party may, so that the demo works with one account.
    function acceptSettlement(bytes32 settlementHash) external {
        Settlement storage settlement = found(settlementHash);
        PartyInfo storage party = settlement.partyInfo;
        if (!isEither(party.buyerSourceAddress, party.sellerSourceAddress)) revert Unauthorized();
        if (msg.sender == proposer[settlementHash] && msg.sender != owner) revert Unauthorized();
        if (getSettlementStatus[settlementHash] != Status.Open) revert InvalidSettlement();
        if (isPast(settlement.expiration)) revert Expired();
        getSettlementStatus[settlementHash] = Status.Accepted;
        emit SettlementAccepted(settlement.settlementId, settlementHash);
    }

    function executeSettlement(bytes32 settlementHash) external {
        Settlement storage settlement = found(settlementHash);
        PartyInfo storage party = settlement.partyInfo;
        TokenInfo storage token = settlement.tokenInfo;
        if (!isEither(party.executorAddress, owner)) revert Unauthorized();
        if (getSettlementStatus[settlementHash] != Status.Accepted) revert CannotSettle();
        if (isPast(settlement.expiration)) revert Expired();
        if (block.timestamp < settlement.executeAfter) revert TooEarly();
        getSettlementStatus[settlementHash] = Status.Settled;
        emit SettlementClosing(settlement.settlementId, settlementHash);
        move(
            token.assetTokenSourceAddress,
            party.sellerSourceAddress,
            party.buyerDestinationAddress,
            token.assetTokenAmount
        );
        move(
            token.paymentTokenSourceAddress,
            party.buyerSourceAddress,
            party.sellerDestinationAddress,
            token.paymentTokenAmount
        );
        emit SettlementSettled(settlement.settlementId, settlementHash);
    }

    /// A party may cancel while it is open, and anybody once it has expired.
    function cancel(bytes32 settlementHash) external {
        Settlement storage settlement = found(settlementHash);
        PartyInfo storage party = settlement.partyInfo;
        Status status = getSettlementStatus[settlementHash];
        if (status != Status.Open && status != Status.Accepted) revert CannotCancel();
        if (!isPast(settlement.expiration)) {
            if (!isEither(party.buyerSourceAddress, party.sellerSourceAddress)) revert Unauthorized();
            if (status == Status.Accepted && msg.sender != owner) revert CannotCancel();
        }
        getSettlementStatus[settlementHash] = Status.Canceled;
        emit SettlementCanceling(settlement.settlementId, settlementHash);
        emit SettlementCanceled(settlement.settlementId, settlementHash);
    }

    function getSettlement(bytes32 settlementHash) external view returns (Settlement memory) {
        return found(settlementHash);
    }

    function getSettlementHash(Settlement calldata settlement) public pure returns (bytes32) {
        return keccak256(abi.encode(settlement));
    }

    function isExpired(bytes32 settlementHash) external view returns (bool) {
        return isPast(found(settlementHash).expiration);
    }

    function found(bytes32 settlementHash) private view returns (Settlement storage) {
        if (getSettlementStatus[settlementHash] == Status.New) revert NotFound();
        return settlements[settlementHash];
    }

    function isEither(address one, address other) private view returns (bool) {
        return msg.sender == one || msg.sender == other || msg.sender == owner;
    }

    function isPast(uint48 time) private view returns (bool) {
        return time != 0 && block.timestamp > time;
    }

    function move(address token, address from, address to, uint256 amount) private {
        if (token == address(0)) return;
        (bool success, bytes memory answer) =
            token.call(abi.encodeWithSignature("transferFrom(address,address,uint256)", from, to, amount));
        if (!success || (answer.length != 0 && !abi.decode(answer, (bool)))) revert SafeERC20FailedOperation(token);
    }
}

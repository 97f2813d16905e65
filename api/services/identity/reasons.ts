import { generalTexts, reasonsOf } from '../../core/http/reasons';

/** Why something is refused about members, their sign-in and their workspace. */
export const identityTexts = {
  ...generalTexts,
  wordsTooLong: 'Ensure each word has no more than {max} characters.',
  past: 'A future datetime is required.',
  order: 'from may not be after to.',
  onlyOwners: 'Only owners can do this.',
  ownFactor: 'Set up your own second factor first.',
  factorDemanded: 'Your workspace asks for a second factor: add another one before.',
  passkeyRefused: 'This passkey was not accepted. Try again.',
  passkeyUsed: 'This passkey is in use already.',
  codeWrong: 'This code is wrong, or was used before.',
  appCodeWrong: 'This is not the code that the app shows now. Check its clock.',
  passwordWrong: 'The current password is wrong.',
  passwordSame: 'The new password is the current one.',
  passwordNear: 'This password is too close to the name or email. Choose another one.',
  passwordKnown: 'This password is widely known. Choose another one.',
  passwordRule: 'At least 8 characters; none that is widely known, nor made from the name or email.',
  lastOwner: 'This is the last active owner of the workspace. Make somebody else an owner first.',
  beyond: 'This member may do more than you, or would: ask an owner.',
  memberTaken: 'member with this email already exists.',
  labelsEqual: 'The labels must differ.',
  quietHalf: 'Quiet hours begin and end.',
  quietSame: 'Quiet hours end at another time than they begin.',
  noZone: '"{zone}" is not a time zone. Use an IANA name like Europe/Berlin or UTC.',
  noNetwork: 'Enter an IPv4 or IPv6 address or network, like 203.0.113.0/24.',
  companySignIn: 'Your workspace signs in with its company: use the link below.',
} as const;

/** Returns a reason by its key, a general one or one of this floor. */
export const reason = reasonsOf(identityTexts);

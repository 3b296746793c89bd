/** The IDs of the trial's workflows. The node names two of them. */
export const REGISTER_ID = 'sms-trial-register';
export const SENT_ID = 'sms-trial-sent';
export const REPLIES_ID = 'sms-trial-replies';

"""Does a shop's work with the client that openapi-python-client makes; prints what it saw as JSON."""
import io
import json
import sys

from shop_client import AuthenticatedClient
from shop_client.api.broadcasts import broadcasts_confirm, broadcasts_create, broadcasts_preview
from shop_client.api.contacts import contacts_import, contacts_list, contacts_update
from shop_client.api.messages import messages_create, messages_list
from shop_client.api.tickets import tickets_create, tickets_list
from shop_client.models import (
    Audience, BroadcastsConfirmBody, BroadcastsCreateBody, ContactsImportBody, ContactsImportUpload,
    ContactsListConvStatusItem, ContactsUpdateBody, MessagesCreateBody, TemplateVariables, TicketsCreateBody,
    TicketsCreateBodyType, TicketsListTypeItem,
)
from shop_client.types import File

url, token, template, number, member = sys.argv[1:6]
client = AuthenticatedClient(base_url=url, token=token, raise_on_unexpected_status=True)


def ok(answer):
    if answer.status_code >= 300:
        raise SystemExit(f"{answer.status_code} {answer.content.decode()}")
    return answer.parsed


rows = [{"phone": "+4930000000001", "name": "Anna", "tags": ["py", "x"]}, {"phone": "+4930000000002", "name": "Ben"}]
by_json = ok(contacts_import.sync_detailed(client=client, body=ContactsImportBody.from_dict({"contacts": rows})))
csv = File(payload=io.BytesIO(b"phone,name\n+4930000000003,Cleo\n"), file_name="people.csv", mime_type="text/csv")
by_file = ok(contacts_import.sync_detailed(client=client, body=ContactsImportUpload(file=csv)))

ok(contacts_update.sync_detailed("4930000000002", client=client, body=ContactsUpdateBody.from_dict(
    {"conv_status": "resolved", "assigned_member": int(member)})))
left = ok(contacts_update.sync_detailed("4930000000002", client=client, body=ContactsUpdateBody(assigned_member=None)))
statuses = [ContactsListConvStatusItem.OPEN, ContactsListConvStatusItem.RESOLVED]
found = ok(contacts_list.sync_detailed(client=client, search="493000000000", conv_status=statuses))

variables = TemplateVariables.from_dict(
    {"body": {"1": {"source": "field", "field": "name"}, "2": {"source": "static", "value": "today"}}})
sent = ok(messages_create.sync_detailed(client=client, idempotency_key="order-1", body=MessagesCreateBody(
    to="+4930000000001", phone_number_id=number, template_id=template, template_variables=variables)))
again = messages_create.sync_detailed(client=client, idempotency_key="order-1", body=MessagesCreateBody(
    to="+4930000000001", phone_number_id=number, template_id=template, template_variables=variables))
listed = ok(messages_list.sync_detailed("4930000000001", client=client))

draft = ok(broadcasts_create.sync_detailed(client=client, body=BroadcastsCreateBody(
    name="News", template_id=template, phone_number_id=number, audience=Audience(tags_any=["py"]),
    template_variables=variables)))
preview = ok(broadcasts_preview.sync_detailed(draft.id, client=client))
confirmed = ok(broadcasts_confirm.sync_detailed(draft.id, client=client, body=BroadcastsConfirmBody()))

for kind in (TicketsCreateBodyType.BUG, TicketsCreateBodyType.OTHER, TicketsCreateBodyType.REFUND):
    ok(tickets_create.sync_detailed(client=client, body=TicketsCreateBody(
        title=f"Broken {kind.value}", type_=kind, receiver_id="4930000000001")))
tickets = ok(tickets_list.sync_detailed(
    client=client, receiver_id="4930000000001", type_=[TicketsListTypeItem.BUG, TicketsListTypeItem.OTHER]))

print(json.dumps({
    "imported": [by_json.created, by_file.created, len(by_json.errors) + len(by_file.errors)],
    "unassigned": left.assigned_member,
    "found": sorted(contact.name for contact in found.results),
    "tags": next(contact.tags for contact in found.results if contact.name == "Anna"),
    "same": again.parsed.id == sent.id,
    "body": [message.body.type_ for message in listed.results],
    "broadcast": [preview.audience, preview.sendable, confirmed.audience.tags_any],
    "tickets": sorted(ticket.title for ticket in tickets),
}))
